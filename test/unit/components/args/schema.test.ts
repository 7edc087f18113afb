import { DEFAULT_LEGO_IMAGE } from "../../../../components/certificate/acmeSettings";
import { defaultOf, limitFailures, schemaOf } from "../../../../components/args/schema";
import { DEFAULT_CLIENT_IMAGE } from "../../../../components/storeClient/storeReference";
import { DEFAULT_OPEN_FILES } from "../../../../components/docker/containerBasics";
import { DEFAULT_HAPROXY_IMAGE } from "../../../../components/haproxyConfig/image";
import { DEFAULT_PROFILE, profileNames } from "../../../../components/store/profiles/all";
import { PROXY_COUNT } from "../../../../components/store/topology";

test("what an arg's docstring says is what the code below the args has", () => {
    expect(defaultOf("ObjectStoreArgs", "haproxyImage")).toBe(DEFAULT_HAPROXY_IMAGE);
    expect(defaultOf("ObjectStoreArgs", "clientImage")).toBe(DEFAULT_CLIENT_IMAGE);
    expect(defaultOf("ObjectStoreArgs", "openFiles")).toBe(DEFAULT_OPEN_FILES);
    expect(defaultOf("ObjectStoreArgs", "profile")).toBe(DEFAULT_PROFILE.name);
    expect(defaultOf("ObjectStoreArgs", "logLevel")).toBe(DEFAULT_PROFILE.logLevel);
    expect(defaultOf("AcmeArgs", "image")).toBe(DEFAULT_LEGO_IMAGE);
    const { profile, proxyNumber, frontEndHosts } = schemaOf("ObjectStoreArgs").properties;
    expect([...(profile?.oneOf ?? [])].sort()).toEqual([...profileNames].sort());
    expect(proxyNumber?.range).toEqual([1, PROXY_COUNT]);
    expect(frontEndHosts?.length).toEqual([1, PROXY_COUNT]);
});

test("limits are checked where the value is known, each under its own path", () => {
    const failures = limitFailures("BucketCorsRule", { allowedMethods: ["GET", "PATCH"], maxAgeSeconds: -1 });
    expect(failures.map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`)).toEqual([
        'allowedMethods[1]: "PATCH" is not known: give one of GET, PUT, POST, DELETE, HEAD',
        "maxAgeSeconds: -1 is not allowed: give an integer from 0 to 86400",
    ]);
    expect(limitFailures("StorageClusterArgs", { drainTimeout: 5000, readyTimeout: 1 }, ["readyTimeout"])).toHaveLength(
        1,
    );
    expect(limitFailures("HaproxyFrontEndArgs", { httpPort: Promise.resolve(0), httpsPort: undefined })).toEqual([]);
});
