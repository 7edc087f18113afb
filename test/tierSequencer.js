const { default: Sequencer } = require("@jest/test-sequencer");
const { projects } = require("./tiers/tiers.json");

const files = projects.flatMap((project) => project.files.map((file) => `/test/e2e/${file}.test.ts`));

/**
 * End-to-end tests begin in the order of the tiers' data, where the longest ones are first: by itself, Jest begins with the
 * largest files, since a fresh clone has no durations. Unit tests, which need a processor, are spread among them, since
 * end-to-end tests wait most of their time.
 */
class TierSequencer extends Sequencer {
    sort(tests) {
        const placeOf = ({ path }) => files.findIndex((file) => path.endsWith(file));
        const placed = tests.filter((test) => placeOf(test) >= 0);
        const unit = super.sort(tests.filter((test) => placeOf(test) < 0));
        placed.sort((one, other) => placeOf(one) - placeOf(other));
        const share = Math.ceil(unit.length / Math.max(placed.length, 1));
        const spread = placed.flatMap((test, place) => [test, ...unit.slice(place * share, (place + 1) * share)]);
        return placed.length === 0 ? unit : spread;
    }
}

module.exports = TierSequencer;
