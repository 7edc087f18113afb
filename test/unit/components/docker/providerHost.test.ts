import * as pulumi from "@pulumi/pulumi";
import * as docker from "@pulumi/docker";
import { dockerHostOf } from "../../../../components/docker/providerHost";
import type { EngineSettings } from "../../../../components/docker/engineEndpoint";
import { mockEngine, valueOf } from "../../fakes/mockEngine";
import { EngineSocket } from "../../fakes/engineSocket";

let socket: EngineSocket;

beforeEach(async () => (socket = await EngineSocket.open()));
afterEach(() => socket.remove());

describe("a component's engine", () => {
    class Component extends pulumi.ComponentResource {
        readonly engine: pulumi.Output<EngineSettings>;

        constructor(opts?: pulumi.ComponentResourceOptions, given?: string) {
            super("test:index:Component", "component", {}, opts);
            this.engine = dockerHostOf(this, given);
        }
    }
    const settingsOf = async (component: Component) => {
        const { networkIdOfProvider, ...settings } = await valueOf(component.engine);
        expect(networkIdOfProvider).toBeInstanceOf(Function);
        return JSON.parse(JSON.stringify(settings)) as object;
    };

    test("is the default provider's, from its config keys", async () => {
        await mockEngine();
        pulumi.runtime.setAllConfig({ "docker:host": "tcp://config:2376", "docker:certPath": "/certificates" });
        expect(await settingsOf(new Component())).toEqual({ host: "tcp://config:2376", certPath: "/certificates" });
        expect(await settingsOf(new Component({}, "tcp://given:1"))).toMatchObject({ givenHost: "tcp://given:1" });
    });

    test("is that of the user's own provider, without values of the config", async () => {
        await mockEngine();
        pulumi.runtime.setAllConfig({ "docker:host": "tcp://config:2376", "docker:certPath": "/certificates" });
        const provider = new docker.Provider("own", { context: "other", sshOpts: ["-i", "key"] });
        expect(await settingsOf(new Component({ provider }))).toEqual({ context: "other", sshOpts: ["-i", "key"] });
        const secure = new docker.Provider("secure", {
            host: "tcp://own:2376",
            caMaterial: "ca",
            certMaterial: "cert",
            keyMaterial: pulumi.secret("key"),
        });
        const component = new Component({ providers: [secure] });
        expect(await settingsOf(component)).toEqual({
            host: "tcp://own:2376",
            caMaterial: "ca",
            certMaterial: "cert",
            keyMaterial: "key",
        });
        expect(await pulumi.isSecret(component.engine)).toBe(false);
    });
});
