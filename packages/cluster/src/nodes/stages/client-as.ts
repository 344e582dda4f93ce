import { type ApiRequest, type Client, type Transport, createClient } from "@bowline/client";

const made = new WeakMap<Client, Map<string, Client>>();

/** A client whose requests are made as another user, which the client's own may impersonate. */
export function clientAs(client: Client, user: string): Client {
  let byUser = made.get(client);
  if (byUser === undefined) made.set(client, (byUser = new Map()));
  let impersonating = byUser.get(user);
  if (impersonating === undefined) {
    const { clock, random, mapper, defaults } = client;
    const transport = impersonatingTransport(client.transport, user);
    impersonating = createClient({ ...defaults, transport, clock, random, mapper });
    byUser.set(user, impersonating);
  }
  return impersonating;
}

function impersonatingTransport(transport: Transport, user: string): Transport {
  const as = (request: ApiRequest): ApiRequest => ({
    ...request,
    headers: { ...request.headers, "impersonate-user": user },
  });
  return {
    request: (request) => transport.request(as(request)),
    watch: (request) => transport.watch(as(request)),
    stream: (request) => transport.stream(as(request)),
    close: () => transport.close(),
  };
}
