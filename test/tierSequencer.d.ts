/** The order of tests, which Jest loads as JavaScript. */
declare class TierSequencer {
    constructor(options: { contexts: []; globalConfig: object });

    sort<Test extends { path: string }>(tests: Test[]): Test[];
}

export = TierSequencer;
