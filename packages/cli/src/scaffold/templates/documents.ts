/** The texts of a project for people, and for programs that write code. */

export function readme(projectName: string): string {
  return `# ${projectName}

A Kubernetes operator in TypeScript, made with [Bowline](https://github.com/bowline-dev/bowline).

## Work on it

\`\`\`sh
npm install
npm test                # against an API server in the test's own process
npx bowline dev         # the operator and its samples on an embedded cluster, restarted on change
\`\`\`

## Run it in your cluster

\`\`\`sh
make install                             # the CRDs
make run                                 # the operator on this machine
make docker-build docker-push IMG=registry.example.com/${projectName}:v1
make deploy IMG=registry.example.com/${projectName}:v1
make undeploy
\`\`\`

For others: \`npx bowline generate --image IMG\` writes \`deploy/install.yaml\`, \`npx bowline chart\` a Helm chart,
\`npx bowline bundle\` an OLM bundle.

## Where things are

| | |
| --- | --- |
| \`src/api/\` | the kinds: types and schemas, from which the CRDs are made |
| \`src/controllers/\` | what makes the world match them |
| \`src/webhooks/\` | defaults and validation that a schema cannot say |
| \`src/operator.ts\` | what the operator is made of |
| \`config/\` | manifests, written by \`npx bowline generate\` from the program |
| \`config/samples/\` | objects to try it with |
`;
}

export function agentsGuide(projectName: string): string {
  return `# ${projectName}: notes for whoever changes this code

- A kind is declared in \`src/api/<version>/\` with \`defineKind\` and Zod. Never edit YAML under \`config/crd\`, \`config/rbac\` or
  \`config/webhook\`: change the program and run \`npx bowline generate\`. CI runs \`npx bowline generate --check\`.
- A new kind: \`npx bowline create api --group G --version v1 --kind K\`. A webhook: \`npx bowline create webhook ...\`. They add to
  \`src/operator.ts\` and never overwrite a file that exists.
- \`reconcile\` is called with the whole object as it is now and makes the world match it. It may run at any time, twice, and
  after a crash in the middle: no step may assume that it runs for the first time, or what event came.
- Objects from the cache are frozen and shared. Make new ones; \`ctx.apply\` states the fields you want and sends nothing when
  nothing changed.
- \`owns: [Deployment]\` for what the controller creates, \`watches\` for what it only looks at. RBAC follows from these; anything
  else goes into \`permissions\` in \`src/operator.ts\`.
- Time comes from \`ctx.clock\`, never from \`Date.now\`: tests move it.
- Throw to retry with back-off; \`throw new TerminalError(...)\` when retrying is useless until the object changes.
- Tests talk to a real API server in the same process (\`startCluster\`). Wait with \`waitFor\`, never with a timer.
- Before you are done: \`npm run lint && npm run typecheck && npm test && npx bowline generate --check\`.
`;
}
