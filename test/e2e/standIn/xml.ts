/** Content of an element: text, child elements by name, or a list of elements with the same name. */
type Content = string | { [name: string]: Content } | { [name: string]: Content }[];

/** An XML document. */
export function xml(root: string, content: Content): string {
    return `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, content)}\n`;
}

function element(name: string, content: Content): string {
    if (Array.isArray(content)) {
        return content.map((item) => element(name, item)).join("");
    }
    const inner =
        typeof content === "string"
            ? content.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
            : Object.entries(content)
                  .map(([child, value]) => element(child, value))
                  .join("");
    return `<${name}>${inner}</${name}>`;
}
