/** A plugin of TypeDoc: a link to what another page has is found by its name, imported or not. */
export function load(application) {
    application.converter.addUnknownSymbolResolver((reference, from) => {
        const names = reference.symbolReference?.path?.map(({ path }) => path) ?? [];
        const [target] = from.project.children.flatMap((module) => module.getChildByName(names) ?? []);
        return target === undefined ? undefined : { target, caption: names.join(".") };
    });
}
