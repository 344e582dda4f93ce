/** Gives each pod of a node an address of its own for as long as it lives. */
export class PodAddresses {
  readonly network: string;
  readonly #byPod = new Map<string, number>();
  readonly #taken = new Set<number>();
  #next = 2;

  constructor(network: string) {
    this.network = network;
  }

  /** Whether the pod has one. */
  has(pod: string): boolean {
    return this.#byPod.has(pod);
  }

  /** @param pod its uid. @param known the address that it has already */
  of(pod: string, known?: string): string {
    let number = this.#byPod.get(pod);
    if (known !== undefined) {
      if (number === undefined) this.#keep(pod, known);
      return known;
    }
    if (number === undefined) {
      number = this.#nextFree();
      this.#byPod.set(pod, number);
      this.#taken.add(number);
    }
    return this.#text(number);
  }

  #nextFree(): number {
    while (this.#taken.has(this.#next)) this.#next = after(this.#next);
    const free = this.#next;
    this.#next = after(free);
    return free;
  }

  #text(number: number): string {
    const [a, b, c] = this.network.split(".");
    return `${a}.${b}.${Number(c) + (number >> 8)}.${number & 0xff}`;
  }

  /** A pod that ran before this process, or before a restore, has its address from then: nobody else may get it. */
  #keep(pod: string, address: string): void {
    const [a, b, c] = this.network.split(".");
    const [x, y, z, last] = address.split(".");
    const number = ((Number(z) - Number(c)) << 8) + Number(last);
    if (x !== a || y !== b || !(number >= 2)) return;
    this.#byPod.set(pod, number);
    this.#taken.add(number);
  }

  release(pod: string): void {
    const number = this.#byPod.get(pod);
    if (number === undefined) return;
    this.#byPod.delete(pod);
    this.#taken.delete(number);
  }
}

function after(number: number): number {
  return number >= 65_000 ? 2 : number + 1;
}
