/** A TypeDoc plugin: resolves a link to an item on another page by its name, whether it is imported or not. */
export function load(application) {
    application.converter.addUnknownSymbolResolver((reference, from) => {
        const names = reference.symbolReference?.path?.map(({ path }) => path) ?? [];
        const [target] = from.project.children.flatMap((module) => module.getChildByName(names) ?? []);
        return target === undefined ? undefined : { target, caption: names.join(".") };
    });
}
