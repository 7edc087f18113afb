/** No host is asked: no proxy exists, nothing is required, and every number is free. It has to be imported before what it replaces. */
jest.mock("../../../components/proxy/existingProxy", () => ({
    ...jest.requireActual<object>("../../../components/proxy/existingProxy"),
    existingProxy: () => Promise.resolve({}),
}));
jest.mock("../../../components/requirements/requireAll", () => ({
    ...jest.requireActual<object>("../../../components/requirements/requireAll"),
    requireAll: () => [],
}));
jest.mock("../../../components/requirements/proxyAddresses", () => ({
    checkProxyAddresses: () => [],
    claimNumber: () => [],
}));

export {};
