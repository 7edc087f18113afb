import { webAddress } from "../../../../../tools/maintain/release/repository";

test.each([
    [undefined, undefined],
    ["https://github.com/owner/name", "https://github.com/owner/name"],
    ["git+https://github.com/owner/name.git", "https://github.com/owner/name"],
    ["git+ssh://git@github.com/owner/name.git", "https://github.com/owner/name"],
    ["git@git.example.com:group/sub/name.git", "https://git.example.com/group/sub/name"],
    ["owner/name", "https://github.com/owner/name"],
    ["gitlab:owner/name", "https://gitlab.com/owner/name"],
    [{ type: "git", url: "git+https://git.example.com:8443/owner/name/" }, "https://git.example.com:8443/owner/name"],
])("the repository %j has the web address %s", (key, address) => {
    expect(webAddress(key)).toBe(address);
});

test("a repository without a web address is refused, with what is allowed", () => {
    expect(() => webAddress("../elsewhere")).toThrow(
        /package\.json: repository: "\.\.\/elsewhere" is not allowed.*github:OWNER\/NAME/s,
    );
});
