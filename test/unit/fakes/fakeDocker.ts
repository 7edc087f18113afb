interface ContainerThere {
    id: string;
    name: string;
    labels: { [label: string]: string };
    /** Ids of the networks that it is connected to. */
    networks?: string[];
}

/**
 * An engine with the resources of an interrupted update, with the requests that the tests need. `null` is its answer
 * for missing labels.
 */
export class FakeDocker {
    containers: ContainerThere[] = [];
    networks: { Id: string; Name: string; Labels: { [label: string]: string } | null }[] = [];
    volumes: { Name: string; Labels: { [label: string]: string } | null }[] = [];
    /** Status codes of its answers to the removal of a container, or to its stop. */
    refusals: { stop?: number; remove?: number } = {};
    readonly done: string[] = [];

    listContainers({ filters }: { filters?: { network: string[] } } = {}) {
        const [network] = filters?.network ?? [];
        return Promise.resolve(
            this.containers
                .filter(({ networks = [] }) => network === undefined || networks.includes(network))
                .map(({ id, name, labels }) => ({ Id: id, Names: [`/${name}`], Labels: labels })),
        );
    }

    listNetworks() {
        return Promise.resolve(this.networks);
    }

    listVolumes() {
        return Promise.resolve({ Volumes: this.volumes });
    }

    getContainer(id: string) {
        const answer = (action: "stop" | "remove", options: unknown) => {
            this.done.push(`${action} ${id} ${JSON.stringify(options)}`);
            const statusCode = this.refusals[action];
            if (action === "remove") {
                this.containers = this.containers.filter((container) => container.id !== id);
            }
            return statusCode === undefined
                ? Promise.resolve()
                : Promise.reject(Object.assign(new Error(`refused by ${statusCode}`), { statusCode }));
        };
        return {
            stop: (options: unknown) => answer("stop", options),
            remove: (options: unknown) => answer("remove", options),
        };
    }

    getNetwork(id: string) {
        return {
            remove: () => {
                this.done.push(`remove network ${id}`);
                return Promise.resolve();
            },
        };
    }
}
