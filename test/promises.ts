/** A test, or a group of tests. */
export interface Proof {
    /** The file that Jest runs. The test itself may be in a suite that this file imports. */
    file: string;
    /** A part of the title of the test or of its group, as it is written there: `%s` and `$name` stand for themselves. */
    name: string;
}

/** A promise of the documents, with the tests that fail if it isn't kept. */
export interface Promised {
    /** What it is about. */
    group: string;
    /** One sentence. */
    promise: string;
    tests: readonly Proof[];
}

const GROUPS: { readonly [group: string]: readonly Omit<Promised, "group">[] } = {
    data: [
        {
            promise: "More drives than an erasure set bears never begin empty, whatever is allowed.",
            tests: [
                { file: "test/unit/components/requirements/emptiedDrives.test.ts", name: "refuses: %s" },
                { file: "test/e2e/lostDrives.test.ts", name: "three of four, whatever is allowed" },
            ],
        },
        {
            promise: "A permission to empty drives names a node or a host, and is reported once it isn't needed.",
            tests: [
                { file: "test/unit/components/requirements/emptiedDrives.test.ts", name: "names a node or a host" },
                {
                    file: "test/unit/components/requirements/emptiedDrives.test.ts",
                    name: "a word that names nothing that is emptied isn't needed",
                },
            ],
        },
        {
            promise: "The next drive of a set is emptied only once the store has healed the former one.",
            tests: [
                {
                    file: "test/unit/components/requirements/driveRuling.test.ts",
                    name: "not while the drive of another is being healed",
                },
                {
                    file: "test/e2e/replacedHosts.test.ts",
                    name: "the first one: the next is refused as long as its drive isn't healed",
                },
                {
                    file: "test/e2e/full/replacedHostsRustfs.test.ts",
                    name: "the first one: the next is refused as long as its drive isn't healed",
                },
            ],
        },
        {
            promise: "The status names drives that aren't healed.",
            tests: [{ file: "test/unit/tools/status/status.test.ts", name: "a drive that isn't healed is a problem" }],
        },
        {
            promise: "A folder whose disk isn't mounted is never given to the store.",
            tests: [
                {
                    file: "test/unit/components/requirements/driveRuling.test.ts",
                    name: "without it are refused: the disk isn't mounted",
                },
                {
                    file: "test/unit/components/docker/volumeFiles.test.ts",
                    name: "stays with its owner once there are files, if it has no data",
                },
                { file: "test/e2e/lostDrives.test.ts", name: "a folder whose disk isn't mounted" },
            ],
        },
        {
            promise: "A change that replaces a bucket asks for an empty one. Only its removal deletes its objects.",
            tests: [
                {
                    file: "test/unit/plugin/resources/storeResources.test.ts",
                    name: "a bucket with forceDestroy that a change replaces has to be empty",
                },
                {
                    file: "test/e2e/buckets.test.ts",
                    name: "a bucket with forceDestroy that a change replaces has to be empty",
                },
            ],
        },
        {
            promise: "A bucket with objects isn't deleted, unless forceDestroy says so.",
            tests: [
                {
                    file: "test/unit/plugin/resources/storeResources.test.ts",
                    name: "with objects is not deleted, unless forceDestroy says so",
                },
                { file: "test/e2e/buckets.test.ts", name: "a bucket is not deleted, unless forceDestroy says so" },
            ],
        },
        {
            promise: "The state is changed under its lock, and never over what somebody else has recorded.",
            tests: [
                { file: "test/unit/tools/pulumi/changedState.test.ts", name: "is read and written under one lock" },
                {
                    file: "test/unit/tools/pulumi/changedState.test.ts",
                    name: "isn't written over what somebody else has recorded meanwhile",
                },
            ],
        },
        {
            promise: "A reload of the proxy that gets no certain answer is an error.",
            tests: [
                {
                    file: "test/unit/components/proxy/scripts/reload.pl.test.ts",
                    name: "doesn't go on with earlier states if the worker %s",
                },
                {
                    file: "test/unit/components/proxy/scripts/reload.pl.test.ts",
                    name: "isn't taken for done if the master %s",
                },
            ],
        },
        {
            promise: "No two drives of a deployment are one folder, in whatever spelling.",
            tests: [
                {
                    file: "test/unit/components/settings/additionalStores.test.ts",
                    name: "has its drives compared with those of all stores before it",
                },
                {
                    file: "test/unit/components/requirements/hostChecks.test.ts",
                    name: "the drive of another store of the same deployment, through a link",
                },
            ],
        },
        {
            promise: "After a power failure, a file is either the former one or the whole new one.",
            tests: [
                { file: "test/unit/tools/machine/wholeFiles.test.ts", name: "is on the disk before it has its name" },
                {
                    file: "test/unit/tools/machine/wholeFiles.test.ts",
                    name: "a program that is copied into its place isn't there before all of it is",
                },
                {
                    file: "test/unit/components/docker/volumeFiles.test.ts",
                    name: "are on the disk before they have their names",
                },
            ],
        },
        {
            promise: "Of two first commands at once, both find the same passphrase.",
            tests: [
                {
                    file: "test/unit/tools/machine/wholeFiles.test.ts",
                    name: "a file that another process writes first stays, and both find the same",
                },
            ],
        },
        {
            promise: "Buckets of RustFS have the durability strict, unless another one is set.",
            tests: [
                {
                    file: "test/unit/components/storageCluster.test.ts",
                    name: "sets the contract's variables on each node",
                },
                {
                    file: "test/unit/plugin/resources/storeResources.test.ts",
                    name: "has the durability that it is given",
                },
            ],
        },
        {
            promise: "The status names buckets with a weaker durability.",
            tests: [
                {
                    file: "test/unit/tools/status/weakBuckets.test.ts",
                    name: "buckets with a weaker durability than strict are named",
                },
            ],
        },
        {
            promise: "RustFS's healing of a large drive is not ended by a time limit.",
            tests: [
                {
                    file: "test/unit/components/storageCluster.test.ts",
                    name: "sets the contract's variables on each node",
                },
            ],
        },
        {
            promise: "A removal keeps data volumes, credentials and the CA. The next update brings the store back.",
            tests: [
                { file: "test/unit/tools/down/removalPlan.test.ts", name: "a removal keeps data, credentials and CA" },
                {
                    file: "test/e2e/tools.test.ts",
                    name: "npm run down keeps the data and says so; npm run up starts the store with it again",
                },
                { file: "test/e2e/oneNode.test.ts", name: "keeps data and users through down and up" },
            ],
        },
        {
            promise: "Data is deleted only once the stack's name has been typed.",
            tests: [
                { file: "test/unit/tools/down/removalPlan.test.ts", name: "continues if the stack's name is typed" },
                {
                    file: "test/e2e/removal.test.ts",
                    name: "npm run down -- --delete-data names the data and deletes it",
                },
            ],
        },
        {
            promise: "Data of another stack, or under another name, is found and refused.",
            tests: [
                { file: "test/unit/tools/stack/dataVolumes.test.ts", name: "that doesn't match its data is refused" },
                {
                    file: "test/e2e/refusals.test.ts",
                    name: "data of another stack, and newly generated root keys for existing data",
                },
            ],
        },
        {
            promise: "An update is refused over data whose credentials the stack doesn't have.",
            tests: [
                {
                    file: "test/e2e/removal.test.ts",
                    name: "npm run up refuses to deploy over data whose credentials the stack doesn't have",
                },
            ],
        },
        {
            promise: "Lost data volumes are never replaced by empty ones silently.",
            tests: [
                {
                    file: "test/unit/tools/stack/dataVolumes.test.ts",
                    name: "are refused on one engine, unless a word names their node",
                },
                {
                    file: "test/e2e/lostDrives.test.ts",
                    name: "every volume removed by hand: only the state knows them",
                },
                { file: "test/e2e/backup.test.ts", name: "lost data volumes are not replaced by empty ones" },
            ],
        },
        {
            promise: "A restored backup has every object, version, policy and user of its time.",
            tests: [
                {
                    file: "test/e2e/backup.test.ts",
                    name: "a restore brings back every object, version, policy and user",
                },
                {
                    file: "test/e2e/full/backupRustfs.test.ts",
                    name: "a restore brings back every object, version, policy and user",
                },
            ],
        },
        {
            promise: "Several drives on one device are refused, unless the config allows it.",
            tests: [
                {
                    file: "test/unit/components/settings/settings.test.ts",
                    name: "refuse several drives on one device, unless it is explicitly allowed",
                },
                { file: "test/e2e/badInput.test.ts", name: "two drives on one device, unless the config allows it" },
            ],
        },
        {
            promise: "Nothing that was acknowledged as written is lost by faults or changes.",
            tests: [
                {
                    file: "test/e2e/chaos.test.ts",
                    name: "every object that was acknowledged, before and after any of it",
                },
                {
                    file: "test/e2e/chaos/faultsMinio.test.ts",
                    name: "every object that was acknowledged, before and after any of it",
                },
                {
                    file: "test/e2e/chaos/faultsRustfs.test.ts",
                    name: "every object that was acknowledged, before and after any of it",
                },
            ],
        },
        {
            promise: "A node of MinIO that has started stays out while it may deny what its peers have.",
            tests: [
                {
                    file: "test/unit/components/haproxyConfig/config.test.ts",
                    name: "a node that starts stays out of both S3 backends",
                },
                {
                    file: "test/e2e/startedNodes.test.ts",
                    name: "stays out of service while it may deny what its peers have",
                },
            ],
        },
        {
            promise: "Two containers never use a drive at the same time.",
            tests: [
                {
                    file: "test/e2e/interrupted.test.ts",
                    name: "two containers never used a data volume at the same time",
                },
                {
                    file: "test/e2e/full/fromMinioInterrupted.test.ts",
                    name: "two containers never used a drive at the same time",
                },
            ],
        },
        {
            promise: "A cluster that grows by a pool keeps all objects and users.",
            tests: [
                {
                    file: "test/e2e/growth.test.ts",
                    name: "the store has the new pool, with all former objects and users",
                },
                {
                    file: "test/e2e/full/growthRustfs.test.ts",
                    name: "the store has the new pool, with all former objects and users",
                },
            ],
        },
    ],
    edge: [
        {
            promise: "Only the proxy publishes ports.",
            tests: [
                { file: "test/unit/components/storageCluster.test.ts", name: "publishes no port on the host" },
                { file: "test/e2e/oneNode.test.ts", name: "publishes no port but the proxy's" },
            ],
        },
        {
            promise:
                "The admin API, RPC, profiling and metrics are closed at the proxy, in every spelling of the path.",
            tests: [
                {
                    file: "test/e2e/oneNode.test.ts",
                    name: "closes at the proxy the paths that the store answers to peers and administrators",
                },
                { file: "test/e2e/edgeAccess.test.ts", name: "are closed on the S3 hostname over HTTP/2" },
            ],
        },
        {
            promise: "Nodes have no outbound access, unless egress is true.",
            tests: [
                { file: "test/unit/components/storageCluster.test.ts", name: "has an internal network of its own" },
                {
                    file: "test/unit/components/storageCluster.test.ts",
                    name: "egress adds a second network to the nodes",
                },
                { file: "test/e2e/node.test.ts", name: "other Docker networks don't reach a node" },
            ],
        },
        {
            promise: "An internal network is made only once the engine has said how to isolate it from the host.",
            tests: [
                {
                    file: "test/unit/components/requirements/isolatedGateway.test.ts",
                    name: "is an error of the update if the engine doesn't say whether it can be isolated",
                },
            ],
        },
        {
            promise: "Containers run without root and without capabilities.",
            tests: [
                {
                    file: "test/unit/components/proxy/haproxyFrontEnd.test.ts",
                    name: "publishes two ports, and runs as an unprivileged user",
                },
                { file: "test/e2e/edgeAccess.test.ts", name: "mount no Docker socket" },
            ],
        },
        {
            promise: "Forwarding headers of clients are dropped: nobody can claim another address.",
            tests: [
                { file: "test/e2e/edgeMessages.test.ts", name: "is the client's address, whatever it says" },
                { file: "test/e2e/trustedProxies.test.ts", name: "what a client itself claims counts for nothing" },
            ],
        },
        {
            promise: "A message that could be read in two ways is refused.",
            tests: [
                { file: "test/e2e/edgeMessages.test.ts", name: "is refused, and nothing of it reaches the store: %s" },
            ],
        },
        {
            promise: "Only TLS 1.2 and 1.3 with forward secrecy are accepted.",
            tests: [{ file: "test/e2e/edgeRouting.test.ts", name: "refuses every other cipher suite of TLS 1.2" }],
        },
        {
            promise: "Any other hostname gets 404 on port 443.",
            tests: [{ file: "test/e2e/edgeRouting.test.ts", name: "any other Host is answered with 404" }],
        },
        {
            promise: "Port 80 serves nothing: it redirects every request under the hostname that the request names.",
            tests: [{ file: "test/e2e/edgeRouting.test.ts", name: "redirects to the host %s that the request names" }],
        },
        {
            promise: "Metadata that only replication may set is refused at the proxy.",
            tests: [
                {
                    file: "test/unit/components/haproxyConfig/config.test.ts",
                    name: "metadata of its replication needs the header for which it asks for a permission",
                },
                { file: "test/e2e/signaturesMinio.test.ts", name: "metadata that only replication may set, over %s" },
            ],
        },
        {
            promise: "A share link of the console leads to an object, and never to the node itself.",
            tests: [
                {
                    file: "test/unit/components/haproxyConfig/config.test.ts",
                    name: "a share link of the console leads to an object",
                },
                { file: "test/e2e/signaturesMinio.test.ts", name: "doesn't lead to a path of the node itself" },
            ],
        },
        {
            promise: "The monitoring example uses a token: MinIO's metrics are never open to everybody.",
            tests: [
                {
                    file: "test/unit/repository/saidInDocuments.test.ts",
                    name: "no document or example opens MinIO's metrics to everybody",
                },
            ],
        },
        {
            promise:
                "Uploads that a release of MinIO doesn't verify are refused, and so are those of unknown releases.",
            tests: [
                {
                    file: "test/unit/components/haproxyConfig/config.test.ts",
                    name: "every upload with an unsigned trailer is refused",
                },
                {
                    file: "test/unit/components/store/edgeWarnings.test.ts",
                    name: "an image that names no release whose uploads are let through is warned of",
                },
            ],
        },
        {
            promise: "Preview warns of known vulnerabilities of store, proxy and ACME client, by release.",
            tests: [
                { file: "test/unit/components/store/knownVulnerabilities.test.ts", name: "HAProxy: %s has %j" },
                {
                    file: "test/unit/components/store/knownVulnerabilities.test.ts",
                    name: "of a release that isn't known are named in one warning",
                },
                {
                    file: "test/unit/components/store/knownVulnerabilities.test.ts",
                    name: "warns about MinIO's default image",
                },
                { file: "test/unit/tools/adopt/adopt.test.ts", name: "what a preview says" },
            ],
        },
        {
            promise:
                "Preview and documents say that MinIO's client secret of OpenID Connect signs tokens with any policy.",
            tests: [
                {
                    file: "test/unit/components/store/knownVulnerabilities.test.ts",
                    name: "warns about OpenID Connect on MinIO",
                },
                {
                    file: "test/unit/repository/saidInDocuments.test.ts",
                    name: "the documents say what the client secret of OpenID Connect can do on MinIO",
                },
            ],
        },
        {
            promise:
                "A third client and the proxy's own checks are served while two clients hold all their connections.",
            tests: [
                {
                    file: "test/unit/components/haproxyConfig/config.test.ts",
                    name: "a third client is served if two have all the connections that an address may have",
                },
            ],
        },
        {
            promise: "Slow headers and floods of one address fail no request of another one.",
            tests: [{ file: "test/e2e/edgeLimits.test.ts", name: "a flood of slow headers from one address" }],
        },
        {
            promise: "The access log has no query and no share link, which may be credentials.",
            tests: [
                {
                    file: "test/unit/components/haproxyConfig/config.test.ts",
                    name: "a share link is not in the access log",
                },
                { file: "test/e2e/edgeMessages.test.ts", name: "the log has the path of a request, but not its query" },
                { file: "test/e2e/accessLog.test.ts", name: "contains no query string, which may hold credentials" },
            ],
        },
        {
            promise: "Challenges go to another front end only while that one orders a certificate.",
            tests: [
                {
                    file: "test/unit/components/haproxyConfig/config.test.ts",
                    name: "challenges go to another front end only while that one orders",
                },
            ],
        },
        {
            promise: "A script that runs as root follows no link in another user's folder.",
            tests: [
                {
                    file: "test/unit/components/proxy/scripts/prepareCertificate.sh.test.ts",
                    name: "a link to %s isn't followed",
                },
                {
                    file: "test/unit/components/proxy/scripts/prepareCertificate.sh.test.ts",
                    name: "isn't written to what a link in the folder leads to",
                },
                {
                    file: "test/unit/components/proxy/scripts/reload.pl.test.ts",
                    name: "writes to no file that a link in the proxy's folder leads to",
                },
            ],
        },
        {
            promise: "Whatever stores and services are called, none gets the requests of another one.",
            tests: [
                {
                    file: "test/unit/components/haproxyConfig/config.test.ts",
                    name: "a store that is called service, and a service that is called like a part of a store",
                },
            ],
        },
        {
            promise: "The proxy repeats only what is safe to repeat.",
            tests: [
                {
                    file: "test/unit/components/haproxyConfig/config.test.ts",
                    name: "requests to the admin API, and those that append, don't go to a second node",
                },
                {
                    file: "test/unit/repository/saidInDocuments.test.ts",
                    name: "the documents say that a repeated PUT may make a second version",
                },
            ],
        },
        {
            promise: "Only hstsMaxAge decides whether browsers use nothing but HTTPS.",
            tests: [
                { file: "test/unit/components/haproxyConfig/config.test.ts", name: "HSTS is the proxy's to decide" },
                {
                    file: "test/e2e/signaturesMinio.test.ts",
                    name: "whether browsers use nothing but HTTPS is not the store's to decide",
                },
                {
                    file: "test/e2e/edgeAccess.test.ts",
                    name: "by default, no response requires browsers to use HTTPS only",
                },
            ],
        },
    ],
    secrets: [
        {
            promise: "Secrets are in no description of a container, no log and no plain state.",
            tests: [
                {
                    file: "test/unit/components/storageCluster.test.ts",
                    name: "passes secrets in a file, quoted, and nowhere else",
                },
                { file: "test/e2e/oneNode.test.ts", name: "shows no secret in state, preview or logs" },
                { file: "test/e2e/oneNode.test.ts", name: "leaves no secret in a container's layers" },
            ],
        },
        {
            promise: "No message shows a secret.",
            tests: [
                {
                    file: "test/unit/components/args/schemaFailures.test.ts",
                    name: "a secret is never reported, nor a value that may contain one",
                },
                {
                    file: "test/unit/components/settings/settings.test.ts",
                    name: "refuse keys that are too short or contain spaces, without showing them",
                },
            ],
        },
        {
            promise: "What no schema names is a secret.",
            tests: [
                { file: "test/unit/config/secrecy.test.ts", name: "include values that no schema names" },
                {
                    file: "test/unit/config/secrecy.test.ts",
                    name: "are marked as secret for programs in other languages",
                },
            ],
        },
        {
            promise: "A store that is taken over gets every variable as a secret, unless it is listed as open.",
            tests: [
                {
                    file: "test/unit/tools/adopt/published.test.ts",
                    name: "notifications, webhooks and a proxy, whose variables have passwords under any name",
                },
            ],
        },
        {
            promise: "What a program marks as secret stays secret in the state, also after a refresh.",
            tests: [
                { file: "test/unit/plugin/resources/storeResources.test.ts", name: "is secret in the state of a %s" },
                {
                    file: "test/unit/plugin/resources/storeResources.test.ts",
                    name: "stays secret in a refresh, in another form too",
                },
                {
                    file: "test/e2e/buckets.test.ts",
                    name: "what is secret in the program is secret in state, also after a refresh",
                },
            ],
        },
        {
            promise: "What you encrypt in the config stays secret, or is refused.",
            tests: [
                {
                    file: "test/unit/config/encryptedKeys.test.ts",
                    name: "that configures variables makes them secret ones",
                },
                {
                    file: "test/unit/config/encryptedKeys.test.ts",
                    name: "that can't stay secret is refused by name, without its value",
                },
                {
                    file: "test/e2e/buckets.test.ts",
                    name: "what the user encrypted is in no plain state or description of a container",
                },
            ],
        },
        {
            promise: "No command in a document shows a secret to other users of the machine.",
            tests: [
                { file: "test/unit/repository/documents.test.ts", name: "has no command that shows a secret" },
                { file: "test/unit/repository/documents.test.ts", name: "%s: shows a secret: %s" },
            ],
        },
        {
            promise: "Commands of administration have the root keys in no argument, variable or log.",
            tests: [
                {
                    file: "test/unit/components/storeClient/clientContainer.test.ts",
                    name: "has the root keys in its configuration, which is one line, and nowhere else",
                },
                {
                    file: "test/e2e/admin.test.ts",
                    name: "the root keys are in no argument, variable, log or description of a container",
                },
            ],
        },
        {
            promise: "A store never starts with the vendor's default root keys.",
            tests: [
                {
                    file: "test/unit/components/node/storeProcess.test.ts",
                    name: "a store doesn't start with the vendor's default root keys if its own are missing",
                },
            ],
        },
    ],
    clients: [
        {
            promise: "AWS CLI, boto3 and the AWS SDK for JavaScript work with their defaults.",
            tests: [
                {
                    file: "test/e2e/clients.test.ts",
                    name: "AWS SDK for JavaScript: a stream, its checksum in a trailer",
                },
                { file: "test/e2e/clients.test.ts", name: "boto3" },
                { file: "test/e2e/full/clientsRustfs.test.ts", name: "AWS CLI" },
            ],
        },
        {
            promise: "The edge answers as the node does: the same requests have the same outcome.",
            tests: [
                { file: "test/e2e/differential.test.ts", name: "$name over $protocol" },
                { file: "test/e2e/full/differentialRustfs.test.ts", name: "$name over $protocol" },
            ],
        },
        {
            promise: "Signed parts of a request reach the store byte for byte.",
            tests: [
                {
                    file: "test/e2e/signatures.test.ts",
                    name: "the query reaches the store byte for byte, and is accepted",
                },
            ],
        },
        {
            promise: "An object that the store takes can be read, however many metadata pairs it has.",
            tests: [
                {
                    file: "test/unit/components/haproxyConfig/config.test.ts",
                    name: "headers that a response could not have are refused in the request, with an error of S3",
                },
                { file: "test/e2e/signaturesMinio.test.ts", name: "metadata of many small pairs, over %s" },
            ],
        },
        {
            promise:
                "An answer before the body was sent ends the connection, also between a load balancer and its clients.",
            tests: [
                {
                    file: "test/unit/components/haproxyConfig/config.test.ts",
                    name: "each answer before the body was asked for ends the connection",
                },
                {
                    file: "test/e2e/signaturesMinio.test.ts",
                    name: "an answer before the body was sent ends the connection",
                },
                {
                    file: "test/e2e/trustedProxies.test.ts",
                    name: "a request that is refused before its body was sent ends the connection that clients share",
                },
            ],
        },
        {
            promise: "The proxy's own answers can be read by web pages of other origins.",
            tests: [
                {
                    file: "test/unit/components/haproxyConfig/config.test.ts",
                    name: "HSTS is the proxy's to decide, and its own answers of S3 may be read by pages of other origins",
                },
            ],
        },
        {
            promise: "The proxy's own errors have S3's format.",
            tests: [
                {
                    file: "test/e2e/oneNode.test.ts",
                    name: "gets an error in S3's format from the proxy while the store is stopped",
                },
            ],
        },
        {
            promise: "A load balancer may keep its connections for longer than it does by default.",
            tests: [
                {
                    file: "test/unit/components/haproxyConfig/config.test.ts",
                    name: "keeps connections for longer than load balancers do",
                },
                {
                    file: "test/unit/repository/saidInDocuments.test.ts",
                    name: "the documents say how long a load balancer may keep its connections",
                },
            ],
        },
        {
            promise: "The documents on load balancers say which headers clients sign.",
            tests: [
                {
                    file: "test/unit/repository/saidInDocuments.test.ts",
                    name: "the documents say which headers a load balancer must not change",
                },
            ],
        },
        {
            promise: "Preview warns of buckets of which the proxy closes some paths.",
            tests: [
                {
                    file: "test/unit/components/store/edgeWarnings.test.ts",
                    name: "buckets of which parts are closed are warned of",
                },
            ],
        },
        {
            promise: "A bucket's policy sees the client's own address.",
            tests: [
                { file: "test/e2e/signaturesMinio.test.ts", name: "aws:SourceIp is the client that it forwards for" },
            ],
        },
        {
            promise: "An update makes buckets, policies and keys as the config has them, and corrects changes by hand.",
            tests: [
                {
                    file: "test/e2e/buckets.test.ts",
                    name: "an update makes them; a second one and a refresh change nothing",
                },
                {
                    file: "test/e2e/buckets.test.ts",
                    name: "what was changed by hand is found by a refresh and corrected by an update",
                },
            ],
        },
        {
            promise: "An access key of an update that was killed gets the same id again.",
            tests: [
                {
                    file: "test/unit/plugin/resources/storeResources.test.ts",
                    name: "has the same id again if an update was killed while it made it",
                },
            ],
        },
        {
            promise: "A cancelled update waits for no store that doesn't run.",
            tests: [
                {
                    file: "test/unit/plugin/resources/storeResources.test.ts",
                    name: "isn't waited for once the update is cancelled",
                },
                {
                    file: "test/unit/plugin/componentPackage.test.ts",
                    name: "is called by Pulumi's SDK when an update is cancelled",
                },
            ],
        },
        {
            promise: "The container of a killed command is removed.",
            tests: [
                {
                    file: "test/unit/components/storeClient/clientSession.test.ts",
                    name: "removes what a killed program has made and not started",
                },
                { file: "test/e2e/admin.test.ts", name: "an interrupted command leaves no container" },
            ],
        },
    ],
    adoption: [
        {
            promise: "A drive without the store's format file is refused: no empty store comes up over a real one.",
            tests: [
                { file: "test/unit/tools/adopt/published.test.ts", name: "an empty volume among those that are named" },
                { file: "test/unit/tools/adopt/published.test.ts", name: "drives of RustFS that are named as MinIO's" },
            ],
        },
        {
            promise: "Everything is checked before the former store is stopped, and a refusal leaves nothing behind.",
            tests: [
                { file: "test/unit/tools/adopt/published.test.ts", name: "is refused before anything:" },
                { file: "test/unit/tools/adopt/adopt.test.ts", name: "what a preview says" },
                { file: "test/e2e/adopt.test.ts", name: "a command line that is refused leaves nothing behind" },
            ],
        },
        {
            promise: "The printed commands deploy the store with everything that was written.",
            tests: [
                {
                    file: "test/unit/tools/adopt/adopt.test.ts",
                    name: "pull first, stop then, hand the files over and back",
                },
                {
                    file: "test/e2e/adopt.test.ts",
                    name: "the commands that it printed deploy the store with everything that was written",
                },
                {
                    file: "test/e2e/full/adoptRustfs.test.ts",
                    name: "the commands that it printed deploy the store with everything that was written",
                },
            ],
        },
        {
            promise: "The way back starts the former containers with everything.",
            tests: [
                {
                    file: "test/e2e/adopt.test.ts",
                    name: "the way back: the containers as they were have everything again",
                },
            ],
        },
        {
            promise: "An image with a moving tag or none is written by its digest.",
            tests: [
                { file: "test/unit/tools/adopt/adopt.test.ts", name: "the image" },
                { file: "test/unit/tools/adopt/published.test.ts", name: "an image without a tag, and no root keys" },
                {
                    file: "test/unit/tools/adopt/published.test.ts",
                    name: "an image that was built here and has no version",
                },
            ],
        },
        {
            promise: "RustFS's ranges with two dots are drives as its image expands them.",
            tests: [
                {
                    file: "test/unit/tools/adopt/published.test.ts",
                    name: "RustFS's own compose file, with two dots, which its entry point expands",
                },
                {
                    file: "test/e2e/full/adoptRustfs.test.ts",
                    name: "npm run adopt: RustFS's own compose file, with two dots",
                },
            ],
        },
        {
            promise: "The root keys are those that the running store accepts, wherever they are written.",
            tests: [
                {
                    file: "test/unit/tools/adopt/published.test.ts",
                    name: "RustFS in place of MinIO, with MinIO's variables",
                },
                { file: "test/unit/tools/adopt/published.test.ts", name: "RustFS with files of keys as options" },
                { file: "test/unit/tools/adopt/published.test.ts", name: "root keys that were changed elsewhere" },
            ],
        },
        {
            promise: "Hostnames that can't be used are refused before the store is stopped.",
            tests: [
                { file: "test/unit/tools/adopt/published.test.ts", name: "one hostname for S3 and the console" },
                {
                    file: "test/unit/tools/adopt/published.test.ts",
                    name: "hostnames of one machine, and of one network of the engine",
                },
                { file: "test/unit/tools/adopt/published.test.ts", name: "an address as hostname, and no URL at all" },
            ],
        },
        {
            promise: "Several folders on one device are taken over as the store has them.",
            tests: [
                {
                    file: "test/unit/tools/adopt/published.test.ts",
                    name: "four drives below one folder, which is one device",
                },
            ],
        },
        {
            promise: "An application beside the store is not taken for a node.",
            tests: [
                {
                    file: "test/unit/tools/adopt/published.test.ts",
                    name: "an application and a client beside it, with variables of the same names",
                },
                { file: "test/unit/tools/adopt/published.test.ts", name: "two stores in one project" },
            ],
        },
        {
            promise: "An image of another kind is refused with the reason, and goes on with an official one.",
            tests: [
                { file: "test/unit/tools/adopt/published.test.ts", name: "Bitnami's image" },
                {
                    file: "test/unit/tools/adopt/published.test.ts",
                    name: "Bitnami's image, with an official one to go on with",
                },
            ],
        },
        {
            promise: "A volume or folder whose name is written wrong is refused, and not made.",
            tests: [
                { file: "test/unit/tools/adopt/published.test.ts", name: "a volume whose name is written wrong" },
                { file: "test/unit/tools/adopt/published.test.ts", name: "a folder whose name is written wrong" },
            ],
        },
        {
            promise:
                "Variables that a node here doesn't need are left out, and those that need outbound access are known.",
            tests: [
                { file: "test/unit/tools/adopt/published.test.ts", name: "a user's numbers in the file of variables" },
                {
                    file: "test/unit/tools/adopt/published.test.ts",
                    name: "notifications, webhooks and a proxy, whose variables have passwords under any name",
                },
            ],
        },
        {
            promise: "A release that is too old is refused before the store is stopped.",
            tests: [
                {
                    file: "test/unit/tools/adopt/published.test.ts",
                    name: "a MinIO of 2021, without a console, in FS mode",
                },
                {
                    file: "test/unit/tools/adopt/published.test.ts",
                    name: "an image of an earlier release than the one that runs",
                },
            ],
        },
    ],
    commands: [
        {
            promise: "Invalid input is refused in preview, with all problems at once, before anything is touched.",
            tests: [
                {
                    file: "test/unit/components/settings/settings.test.ts",
                    name: "are refused with every problem at once, by path",
                },
                {
                    file: "test/e2e/badInput.test.ts",
                    name: "invalid input is refused in preview, with all problems at once, before anything is created",
                },
            ],
        },
        {
            promise: "Unknown keys of the config are refused with the closest known one.",
            tests: [
                {
                    file: "test/unit/config/schemaReader.test.ts",
                    name: "a mistyped key is refused with the closest known key",
                },
            ],
        },
        {
            promise: "Options that npm has taken for itself are refused, with what to type.",
            tests: [{ file: "test/unit/tools/commands/commands.test.ts", name: "%s: refused, with what to type" }],
        },
        {
            promise: "A command that was typed wrongly does nothing, says why, and exits with 2.",
            tests: [
                { file: "test/unit/tools/commands/commands.test.ts", name: "what isn't taken" },
                {
                    file: "test/unit/tools/commands/commands.test.ts",
                    name: "is no failure of the command: the exit code is 2, and there is no stack trace",
                },
            ],
        },
        {
            promise: "Each command has a help with its options and an example.",
            tests: [{ file: "test/unit/tools/commands/commands.test.ts", name: "of %s: usage, options, an example" }],
        },
        {
            promise: "A second stack on the same ports is refused with the command that frees them.",
            tests: [
                {
                    file: "test/unit/tools/up/takenPorts.test.ts",
                    name: "ports of another stack of the project: it is named, with the command that removes it",
                },
                { file: "test/e2e/removal.test.ts", name: "another stack on the same ports is refused" },
            ],
        },
        {
            promise: "One statement says which versions of Node.js work, and their installation compiles nothing.",
            tests: [
                {
                    file: "test/unit/repository/nodeVersions.test.ts",
                    name: "the documents name the versions of Node.js that package.json allows",
                },
                {
                    file: "test/unit/repository/nodeVersions.test.ts",
                    name: "compiles nothing, and runs no script of a package",
                },
            ],
        },
        {
            promise: "Where no registry answers, the store that is there in minutes is taken, and the other one named.",
            tests: [
                {
                    file: "test/unit/tools/images/storeImages.test.ts",
                    name: "where MinIO is taken, it says how to get RustFS",
                },
                {
                    file: "test/e2e/playground.test.ts",
                    name: "make it: hosts, a store over them, and a summary like that of npm run up",
                },
            ],
        },
        {
            promise: "An image that the engine lacks comes from the next registry if one doesn't give it.",
            tests: [
                {
                    file: "test/unit/components/docker/imagePull.test.ts",
                    name: "comes from the next registry, and gets the default's name",
                },
                {
                    file: "test/unit/components/docker/imagePull.test.ts",
                    name: "has more than one source, if it is a default",
                },
                {
                    file: "test/unit/components/docker/imagePull.test.ts",
                    name: "that no registry gives is reported with everything that was tried",
                },
            ],
        },
        {
            promise: "Images are pulled with the credentials of docker login.",
            tests: [
                {
                    file: "test/unit/components/docker/imagePull.test.ts",
                    name: "are those of docker login, in each form of the file",
                },
                {
                    file: "test/unit/components/storeClient/clientSession.test.ts",
                    name: "pulls the client's image with the credentials of docker login",
                },
                { file: "test/e2e/registryLogin.test.ts", name: "is pulled with what docker login has stored" },
            ],
        },
        {
            promise: "MINIO_SERVER_URL, with which nobody can sign in to the console, is refused with the reason.",
            tests: [{ file: "test/unit/components/settings/settings.test.ts", name: "refuse MINIO_SERVER_URL" }],
        },
        {
            promise: "MinIO's names for what RustFS is given here are refused on RustFS.",
            tests: [
                {
                    file: "test/unit/components/settings/settings.test.ts",
                    name: "refuse MinIO's names for what the component sets for RustFS",
                },
                {
                    file: "test/unit/repository/saidInDocuments.test.ts",
                    name: "the documents say which variables of MinIO's have an effect on RustFS",
                },
            ],
        },
        {
            promise: "The commands can be repeated safely.",
            tests: [{ file: "test/e2e/tools.test.ts", name: "npm run up can be repeated" }],
        },
        {
            promise: "The status exits with 0 only if everything is healthy, and says what isn't.",
            tests: [
                { file: "test/unit/tools/status/status.test.ts", name: "a healthy deployment has no problem" },
                { file: "test/e2e/status.test.ts", name: "exits with 0 if everything is healthy" },
            ],
        },
        {
            promise: "Nothing is installed that wasn't named before, and nothing at all with --no-install.",
            tests: [
                {
                    file: "test/unit/tools/machine/installation.test.ts",
                    name: "are announced before they start, each once",
                },
                {
                    file: "test/unit/tools/machine/installation.test.ts",
                    name: "are refused with --no-install, with every command",
                },
            ],
        },
        {
            promise: "Rows of tables in documents have all their cells, and links lead to something.",
            tests: [
                {
                    file: "test/unit/repository/documents.test.ts",
                    name: "has tables whose rows have as many cells as their heads",
                },
                { file: "test/unit/repository/documents.test.ts", name: "links only to existing files and anchors" },
            ],
        },
    ],
    updates: [
        {
            promise: "A second update changes nothing, nor does one after a refresh.",
            tests: [
                {
                    file: "test/e2e/oneNode.test.ts",
                    name: "a second update changes nothing, nor does one after a refresh",
                },
                {
                    file: "test/e2e/cluster.test.ts",
                    name: "a second update changes nothing, nor does one after a refresh",
                },
                {
                    file: "test/e2e/hosts.test.ts",
                    name: "a second update changes nothing, nor does one after a refresh",
                },
            ],
        },
        {
            promise: "While nodes are updated one after the other, no request fails.",
            tests: [
                {
                    file: "test/unit/components/rollout/rollout.test.ts",
                    name: "one node after the other: its files are written, it is drained, replaced, and back in service",
                },
                {
                    file: "test/e2e/rollout.test.ts",
                    name: "a new value of restartedAt replaces every node, one at a time, and no request fails",
                },
                { file: "test/e2e/full/rolloutRustfs.test.ts", name: "replaces one node at a time" },
            ],
        },
        {
            promise: "A node that doesn't start ends the update at that node. The others serve on.",
            tests: [
                { file: "test/unit/components/rollout/rollout.test.ts", name: "conditions that end a rollout early" },
                {
                    file: "test/e2e/rolloutFailures.test.ts",
                    name: "a value with which a node can't start stops the update at that node",
                },
            ],
        },
        {
            promise: "An interrupted update leaves no node out of service.",
            tests: [
                {
                    file: "test/unit/components/pulumi/interruption.test.ts",
                    name: "the process ends once the undo has",
                },
                { file: "test/e2e/rolloutFailures.test.ts", name: "during a drain: the node returns to service" },
            ],
        },
        {
            promise: "The next update after one that was killed goes on, whichever step it was.",
            tests: [
                { file: "test/unit/tools/stack/interruptedUpdate.test.ts", name: "after an update that was killed" },
                {
                    file: "test/e2e/interrupted.test.ts",
                    name: "an update that is killed at one resource after the other, and repeated",
                },
                {
                    file: "test/e2e/full/interrupted.test.ts",
                    name: "an update that is killed at every step of every resource, and repeated",
                },
            ],
        },
        {
            promise: "A server that an operator has taken out of service stays out, in each proxy.",
            tests: [
                {
                    file: "test/unit/components/proxyControl/scripts/setServers.pl.test.ts",
                    name: "here stay so, while the others are drained and return",
                },
                {
                    file: "test/e2e/rolloutFailures.test.ts",
                    name: "the next update ends a drain that a killed update has left; an operator's drain is kept",
                },
            ],
        },
        {
            promise: "A refresh that runs the program waits for nothing and makes no container.",
            tests: [
                {
                    file: "test/unit/components/pulumi/pulumiCommand.test.ts",
                    name: "the command %s registers without changing",
                },
                {
                    file: "test/e2e/cluster.test.ts",
                    name: "a refresh that runs the program waits for nothing and creates no container",
                },
            ],
        },
        {
            promise: "A change of the proxy's configuration fails no request.",
            tests: [
                {
                    file: "test/e2e/reload.test.ts",
                    name: "ten times in a row fails no request, on new and on persistent connections",
                },
            ],
        },
        {
            promise: "Configuration that HAProxy can't load leaves the former one in use.",
            tests: [
                {
                    file: "test/e2e/reload.test.ts",
                    name: "the update fails with HAProxy's message, and the previous configuration stays active",
                },
            ],
        },
        {
            promise: "A certificate is renewed without a failed request.",
            tests: [
                {
                    file: "test/e2e/renewals.test.ts",
                    name: "in a row fail no request, end no upload and no WebSocket, and lose no byte",
                },
                {
                    file: "test/e2e/renewal.test.ts",
                    name: "near its expiry is renewed by an update; its CA is never renewed",
                },
            ],
        },
        {
            promise: "While no certificate can be obtained, the former one is served and the failure is reported.",
            tests: [
                { file: "test/e2e/acmeTrouble.test.ts", name: "and the CA refuses: the previous one is served" },
                { file: "test/unit/tools/status/status.test.ts", name: "a failed renewal is a problem" },
            ],
        },
        {
            promise: "Damaged notes and a wrong clock end no ACME client, and order no certificate again and again.",
            tests: [
                {
                    file: "test/unit/components/certificate/acmeScripts.test.ts",
                    name: "a damaged note of a wait (%j) ends neither the client nor the orders",
                },
                {
                    file: "test/unit/components/certificate/acmeScripts.test.ts",
                    name: "a wait begins again, and isn't longer, if the clock was far ahead",
                },
                {
                    file: "test/unit/components/certificate/acmeScripts.test.ts",
                    name: "a note of failures that isn't a number is ignored, and never executed",
                },
            ],
        },
        {
            promise: "A proxy counts as this stack's own only if that is known.",
            tests: [
                {
                    file: "test/unit/components/proxy/existingProxy.test.ts",
                    name: "of a proxy with the labels %j, of which the state says %j",
                },
                {
                    file: "test/unit/components/proxy/existingProxy.test.ts",
                    name: "aren't decided if the engine fails",
                },
            ],
        },
        {
            promise: "A change that the data doesn't allow is refused, with a remedy, and nothing is changed.",
            tests: [
                {
                    file: "test/unit/components/requirements/clusterChanges.test.ts",
                    name: "is refused, with a remedy, and with the entry of allowedChanges that allows it",
                },
                { file: "test/e2e/refusals.test.ts", name: "changes that the data doesn't allow are refused" },
            ],
        },
        {
            promise: "A change of one part leaves the others alone.",
            tests: [
                { file: "test/e2e/changes.test.ts", name: "a limit replaces the node, not the proxy" },
                { file: "test/e2e/inputs.test.ts", name: "nothing changes by itself afterwards" },
            ],
        },
        {
            promise: "Keys of clients and root keys are rotated without a failed request.",
            tests: [
                { file: "test/e2e/rotation.test.ts", name: "a client's new keys work while the former ones still do" },
            ],
        },
        {
            promise: "From one release of RustFS to the next, a cluster serves on.",
            tests: [
                { file: "test/e2e/upgrades/rustfs.test.ts", name: "one release of RustFS after another, under load" },
            ],
        },
        {
            promise: "A store is added behind a front end, or removed, without a failed request.",
            tests: [
                {
                    file: "test/e2e/severalStores.test.ts",
                    name: "a second store is added by the document's commands: no request fails",
                },
                {
                    file: "test/e2e/severalStores.test.ts",
                    name: "a store is removed by the document's commands, with its data: no request to another fails",
                },
            ],
        },
    ],
    "several hosts": [
        {
            promise: "A host that is lost fails no operation of clients that retry.",
            tests: [
                { file: "test/e2e/hosts.test.ts", name: "loses a host without a failed operation, if clients retry" },
                { file: "test/e2e/chaos/hostsMinio.test.ts", name: "as few requests fail as may, no byte is wrong" },
                { file: "test/e2e/chaos/hostsRustfs.test.ts", name: "as few requests fail as may, no byte is wrong" },
            ],
        },
        {
            promise: "A host that still runs with its data isn't replaced by another machine.",
            tests: [
                {
                    file: "test/unit/tools/stack/movedHosts.test.ts",
                    name: "is refused while its former machine answers and has the data",
                },
                {
                    file: "test/e2e/replacedHosts.test.ts",
                    name: "with a wrong place, which is that of a host that lives: refused",
                },
            ],
        },
        {
            promise: "A host that is gone for good is replaced as the documents say, and healed.",
            tests: [
                {
                    file: "test/e2e/replacedHost.test.ts",
                    name: "the store heals the empty drive: it gets every file of every object",
                },
            ],
        },
        {
            promise: "Preview says what the loss of a host means, and refuses a layout that doesn't survive it.",
            tests: [
                {
                    file: "test/unit/components/store/hostPlacement.test.ts",
                    name: "the loss of the host with the most drives",
                },
                {
                    file: "test/unit/components/hosts/severalHosts.test.ts",
                    name: "a layout that doesn't survive the loss of a host can be allowed",
                },
            ],
        },
        {
            promise: "Hosts that are no swarm are refused with the command for it.",
            tests: [
                {
                    file: "test/unit/components/hosts/swarm/swarmChecks.test.ts",
                    name: "all problems are reported at once",
                },
                {
                    file: "test/e2e/hosts.test.ts",
                    name: "is refused while the hosts are no swarm, with the command for it",
                },
            ],
        },
        {
            promise: "An engine that doesn't answer is never taken for a host without the floating address.",
            tests: [
                {
                    file: "test/unit/components/hosts/floatingAddress/failover.test.ts",
                    name: "an engine that doesn't answer doesn't mean that the host hasn't the address",
                },
            ],
        },
        {
            promise: "A floating address is on another host within seconds if its host fails.",
            tests: [
                {
                    file: "test/e2e/floatingAddress.test.ts",
                    name: "is on another host within 3 s if the host that has it",
                },
            ],
        },
        {
            promise: "A proxy that is replaced passes the floating address on before, and fails no request.",
            tests: [
                {
                    file: "test/unit/components/hosts/floatingAddress/failover.test.ts",
                    name: "a host that has the address loses it to another one before its connections end",
                },
                { file: "test/e2e/floatingAddress.test.ts", name: "fails no request without retries when another" },
            ],
        },
        {
            promise: "Containers that Docker couldn't start are started; those that were stopped by hand stay stopped.",
            tests: [
                {
                    file: "test/unit/components/hosts/watchdog/scripts/watchHost.pl.test.ts",
                    name: "leaves a container alone that has no start error: it was stopped explicitly",
                },
                {
                    file: "test/e2e/watchdog.test.ts",
                    name: "a store over three hosts, all of them managers, gets whole by itself",
                },
            ],
        },
        {
            promise: "One certificate by ACME is ordered once for the proxies of all hosts.",
            tests: [
                {
                    file: "test/unit/components/certificate/scripts/exchangeCertificate.pl.test.ts",
                    name: "the first front end has the turn to order",
                },
                { file: "test/e2e/acmeHosts.test.ts", name: "is ordered once for all in the first deployment" },
            ],
        },
        {
            promise: "A removal touches nothing if an address leads to another host.",
            tests: [
                {
                    file: "test/unit/tools/down/removedStack.test.ts",
                    name: "an address that leads to another host is refused",
                },
                {
                    file: "test/e2e/removedHosts.test.ts",
                    name: "touches nothing if an address leads to a host of another swarm",
                },
            ],
        },
    ],
    migration: [
        {
            promise: "From MinIO to RustFS on the same drives and back, with everything on them.",
            tests: [
                {
                    file: "test/unit/migration/storeMigration.test.ts",
                    name: "tries the new store on the drives, and leaves all nodes stopped for the update",
                },
                {
                    file: "test/e2e/full/fromMinio.test.ts",
                    name: "RustFS reads everything, and denies what was denied",
                },
                {
                    file: "test/e2e/full/fromMinio.test.ts",
                    name: "back to MinIO: with all that was there and all that RustFS has written",
                },
            ],
        },
        {
            promise: "What the other store can't read is found before a node stops.",
            tests: [
                {
                    file: "test/unit/migration/checks.test.ts",
                    name: "finds an object on a drive, which others lack that were away when it was written",
                },
                {
                    file: "test/e2e/fromMinio.test.ts",
                    name: "is refused by --check with the names of objects that it can't read, and nothing stops",
                },
            ],
        },
        {
            promise: "The search for such objects reads their metadata alone, and counts what it can't read.",
            tests: [
                {
                    file: "test/unit/migration/scripts/scanDrives.sh.test.ts",
                    name: "are found by their metadata alone, not by the data of small objects beside it",
                },
                {
                    file: "test/unit/migration/scripts/scanDrives.sh.test.ts",
                    name: "are named as they are, also if a key has a newline",
                },
                {
                    file: "test/unit/migration/scripts/scanDrives.sh.test.ts",
                    name: "are also those whose metadata can't be read",
                },
            ],
        },
        {
            promise: "If the new store doesn't have everything, the former one is started again.",
            tests: [
                {
                    file: "test/unit/migration/storeMigration.test.ts",
                    name: "starts the former store again if the new one %s, and says why",
                },
                {
                    file: "test/e2e/fromMinio.test.ts",
                    name: "if it doesn't start, MinIO is started again with its files",
                },
            ],
        },
        {
            promise: "A migration that was killed goes on, or back, with everything.",
            tests: [
                { file: "test/unit/migration/recovery.test.ts", name: "a migration that was killed" },
                {
                    file: "test/e2e/full/fromMinioInterrupted.test.ts",
                    name: "an update is refused with both commands, and --back starts MinIO with everything",
                },
            ],
        },
        {
            promise: "An update over another store's data is refused, and names the command that migrates.",
            tests: [
                {
                    file: "test/unit/components/requirements/storeOnDrives.test.ts",
                    name: "is refused, with the command that migrates",
                },
                { file: "test/e2e/fromMinio.test.ts", name: "is refused by preview, which names the command" },
            ],
        },
        {
            promise: "The documents say what changes for web pages, buckets and variables on RustFS.",
            tests: [
                {
                    file: "test/unit/repository/saidInDocuments.test.ts",
                    name: "the documents say that web pages of other origins need a setting on RustFS",
                },
                {
                    file: "test/unit/repository/saidInDocuments.test.ts",
                    name: "the documents say which buckets of MinIO can't be reached completely on RustFS",
                },
            ],
        },
        {
            promise: "Clients are moved to another store without a failed request, and with every acknowledged object.",
            tests: [
                { file: "test/e2e/move.test.ts", name: "the clients are moved without a failed request" },
                { file: "test/e2e/move.test.ts", name: "every acknowledged object is in the new store with its bytes" },
            ],
        },
        {
            promise: "If a move fails before the switch, writes go on as before.",
            tests: [{ file: "test/unit/tools/move/pause.test.ts", name: "if the work fails, writes go on as before" }],
        },
    ],
};

/** What the documents promise, by groups, and which tests prove it. */
export const PROMISES: readonly Promised[] = Object.entries(GROUPS).flatMap(([group, promises]) =>
    promises.map((promised) => ({ group, ...promised })),
);
