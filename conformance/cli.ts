import type { Command, Surroundings } from './cli/command.ts'

/** Each is loaded when it is asked for. */
const commands: Readonly<Record<string, { readonly says: string; load(): Promise<Command> }>> = {
  receiver: {
    says: 'judge an endpoint that takes deliveries, in any language',
    load: async () => (await import('./cli/receiver.ts')).receiver,
  },
  outcome: {
    says: 'judge an endpoint that takes outcome callbacks for an application',
    load: async () => (await import('./cli/outcome.ts')).outcome,
  },
  server: {
    says: 'judge a server of the interface, over HTTP alone',
    load: async () => (await import('./cli/server.ts')).server,
  },
}

/** `countersign-conformance COMMAND …`; resolves to the exit status. */
export async function main(args: readonly string[], around: Surroundings): Promise<number> {
  const [name, ...rest] = args
  const command = name === undefined ? undefined : commands[name]
  if (command) return (await command.load())(rest, around)
  const usage = [
    'Usage: countersign-conformance COMMAND [OPTIONS]; --help after a command tells its options',
    ...Object.entries(commands).map(([known, { says }]) => `  ${known.padEnd(10)} ${says}`),
    '',
    'Exit status: 0 as promised, 1 not, 2 wrong arguments or surroundings, 70 the command itself died.',
    '',
  ].join('\n')
  if (name === '--help' || name === '-h') {
    around.out(usage)
    return 0
  }
  around.err(`expected a command, got ${name ?? 'none'}\n${usage}`)
  return 2
}
