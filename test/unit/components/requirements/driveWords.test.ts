import { checkDriveWord } from "../../../../components/requirements/driveWords";

const HOSTS = ["a", "b", "c", "d"];

describe("a word for drives", () => {
    test.each(["emptyDrives:node1", "emptyDrives:node4", "unhealedDrives:node2", "emptyDrives:b"])(
        "%s names a node or a host",
        (value) => expect(checkDriveWord("allowedChanges[0]", value, 4, HOSTS)).toEqual([]),
    );

    test.each([
        [
            "emptyDrives",
            /^"emptyDrives" doesn't say for which drives: give one of "emptyDrives:node1" to "emptyDrives:node4", or .*"emptyDrives:a"/,
        ],
        ["emptyDrives:", /doesn't say for which/],
        ["unhealedDrives:node5", /names no node or host of this cluster: give one of "unhealedDrives:node1"/],
        ["emptyDrives:e", /names no node or host/],
        ["emptyDrives:node01", /names no node or host/],
    ])("%s is refused, with what to write instead", (value, reason) => {
        expect(checkDriveWord("allowedChanges[0]", value, 4, HOSTS)).toEqual([
            { propertyPath: "allowedChanges[0]", reason: expect.stringMatching(reason) as string },
        ]);
    });

    test("a single node has one name", () => {
        expect(checkDriveWord("allowedChanges[0]", "emptyDrives", 1, [])[0]?.reason).toMatch(
            /give "emptyDrives:node1"$/,
        );
    });
});
