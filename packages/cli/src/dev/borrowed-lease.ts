/** The Lease of a deployed operator, held by this process for as long as it does the operator's work. */
import { hostname } from "node:os";
import { Deployment } from "@bowline/api/apps/v1";
import { Lease } from "@bowline/api/coordination/v1";
import { type Client, type Clock, type Random } from "@bowline/client";
import { LeaderElector } from "@bowline/runtime";
import { CommandError, UsageError } from "../errors.ts";
import { type DeploymentModel, nameOf } from "../manifests/model.ts";
import { aborted } from "../stop-signal.ts";

export interface LeaseKey {
  readonly namespace: string;
  readonly name: string;
}

export interface BorrowOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly lease: LeaseKey;
  /** Hears what is waited for. */
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** @param text `NAMESPACE/NAME`; true: the lease that `bowline deploy` gives the operator. @throws UsageError */
export function leaseOf(text: string | true, model: DeploymentModel): LeaseKey {
  if (text === true) return { namespace: model.namespace, name: model.operator.name };
  const [namespace = "", name = "", ...rest] = text.split("/");
  if (namespace === "" || name === "" || rest.length > 0)
    throw new UsageError(`--takeover ${text}: a lease is named NAMESPACE/NAME`);
  return { namespace, name };
}

/**
 * Refuses when the deployed operator runs without an election: it would go on beside this one, whoever holds the lease.
 * @throws CommandError that says what to do
 */
export async function checkElects(client: Client, model: DeploymentModel, key: LeaseKey): Promise<void> {
  const name = nameOf(model, "controller-manager");
  const deployment = await client.find(Deployment, { namespace: model.namespace, name });
  if ((deployment?.status?.readyReplicas ?? 0) === 0) return;
  const lease = await client.find(Lease, key);
  if ((lease?.spec?.holderIdentity ?? "") !== "") return;
  throw new CommandError(
    `deployment ${model.namespace}/${name} runs, but nobody holds lease ${key.namespace}/${key.name}: without an election it cannot ` +
      "be told to stand by. Deploy it with --leader-elect, name the lease it uses (--takeover NAMESPACE/NAME), or stop it: " +
      `kubectl -n ${model.namespace} scale deployment ${name} --replicas=0`,
  );
}

export class BorrowedLease {
  readonly #elector: LeaderElector;
  readonly #ending = new AbortController();
  readonly #lost = new AbortController();
  #running: Promise<void> = Promise.resolve();

  private constructor(options: BorrowOptions, onHeld: () => void) {
    const { client, clock, random, lease } = options;
    const identity = `bowline-dev-${hostname()}_${random.uuid()}`;
    this.#elector = new LeaderElector({
      ...{ client, clock, random, identity, takeover: true },
      id: lease.name,
      namespace: lease.namespace,
      lead: async (term) => {
        onHeld();
        await aborted(AbortSignal.any([term.signal, this.#ending.signal]));
        if (this.#ending.signal.aborted) return;
        this.#lost.abort(term.signal.reason);
        // whoever has it now keeps it: it is not sought again
        this.#ending.abort();
      },
    });
  }

  /** Aborted when somebody else has the lease, or it could not be renewed: the operator here must stop. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Resolves when the lease is held here and its former holder must have stopped; undefined when the signal was aborted before.
   */
  static async borrow(options: BorrowOptions): Promise<BorrowedLease | undefined> {
    const { client, lease: key, say, signal } = options;
    const lease = await client.find(Lease, key);
    const { holderIdentity = "", leaseDurationSeconds = 15 } = lease?.spec ?? {};
    if (holderIdentity !== "") {
      say(
        `lease ${key.namespace}/${key.name} is held by ${holderIdentity}: taking it, then up to ${leaseDurationSeconds} s until that one has stopped`,
      );
    }
    let onHeld: () => void = () => {};
    const held = new Promise<void>((resolve) => (onHeld = resolve));
    const borrowed = new BorrowedLease(options, onHeld);
    borrowed.#running = borrowed.#elector.run(borrowed.#ending.signal);
    await Promise.race([held, aborted(signal)]);
    if (!signal.aborted) {
      say(`lease ${key.namespace}/${key.name} is held here; whoever is deployed stands by`);
      return borrowed;
    }
    await borrowed.giveBack();
    return undefined;
  }

  /** Whoever is deployed leads again at its next attempt. Call when the operator here has stopped. */
  async giveBack(): Promise<void> {
    this.#ending.abort();
    await this.#running;
    await this.#elector.release();
  }
}
