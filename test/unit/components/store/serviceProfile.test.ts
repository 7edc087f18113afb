import { serviceProfile } from "../../../../components";
import { checkServiceProfile } from "../../../../components/store/serviceProfile";

describe("a profile of one's own", () => {
    test.each([1, 17, 3600])("may have denialSeconds %s", (denialSeconds) => {
        expect(checkServiceProfile({ ...serviceProfile, denialSeconds })).toEqual([]);
    });

    test.each([0, 1.5, NaN, 3601])("is refused with denialSeconds %s", (denialSeconds) => {
        expect(checkServiceProfile({ ...serviceProfile, denialSeconds })).toEqual([
            { propertyPath: "denialSeconds", reason: expect.stringContaining("1 to 3600") as string },
        ]);
    });
});
