import { parseArgs } from 'node:util'
import { backup } from './command/backup.ts'
import { check } from './command/check.ts'
import { init } from './command/init.ts'
import { keyRequest, keyRequests } from './command/key-requests.ts'
import { listenCommand } from './command/listen.ts'
import { migrateStore } from './command/migrate-store.ts'
import { plan } from './command/plan.ts'
import { purge, purges } from './command/purges.ts'
import { resetPassword } from './command/reset-password.ts'
import { restore } from './command/restore.ts'
import { rotateMasterKey } from './command/rotate-master-key.ts'
import { rotateTenantKey } from './command/rotate-tenant-key.ts'
import {
  type Arguments,
  type Subcommand,
  type Surroundings,
  UsageError,
} from './command/subcommand.ts'
import { deleteTenant, keepTenant } from './command/tenant-deletion.ts'
import { resume, suspend } from './command/tenant-status.ts'
import { withSecrets } from './config.ts'
import { exit, explain } from './program-end.ts'

/** The subcommands of `countersign`, in the order of its help. */
const subcommands: Readonly<Record<string, Subcommand>> = {
  init,
  listen: listenCommand,
  backup,
  restore,
  check,
  'migrate-store': migrateStore,
  'rotate-master-key': rotateMasterKey,
  'rotate-tenant-key': rotateTenantKey,
  'reset-password': resetPassword,
  suspend,
  resume,
  plan,
  'key-requests': keyRequests,
  'key-request': keyRequest,
  purges,
  purge,
  'delete-tenant': deleteTenant,
  'keep-tenant': keepTenant,
}

/** `countersign COMMAND …`; resolves to the exit status. */
export async function main(args: readonly string[], around: Surroundings): Promise<number> {
  const [name = '', ...rest] = args
  if (name === '--help' || name === '-h' || name === 'help') {
    around.out(overview())
    return exit.done
  }
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
  if (!subcommand) {
    around.err(`countersign: expected a command, got ${name || 'none'}\n\n${overview()}`)
    return exit.usage
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    around.out(subcommand.help)
    return exit.done
  }
  const json = rest.includes('--json')
  try {
    const environment = withSecrets(around.environment)
    const given = parse(name, subcommand, rest)
    const { ok, text, facts } = await subcommand.run(given, { ...around, environment })
    around.out(json ? `${JSON.stringify({ ok, ...facts })}\n` : text)
    return ok ? exit.done : exit.failed
  } catch (error) {
    const { message, status } = explain(error)
    around.err(`countersign ${name}: ${message}\n`)
    if (status === exit.usage && error instanceof UsageError)
      around.err(`countersign ${name} --help shows its arguments\n`)
    if (json) around.out(`${JSON.stringify({ ok: false, error: message })}\n`)
    return status
  }
}

function parse(name: string, subcommand: Subcommand, args: readonly string[]): Arguments {
  const { positionals: expected, options } = subcommand
  let parsed: ReturnType<typeof parseArgs>
  try {
    parsed = parseArgs({
      args: [...args],
      options: { ...options, json: { type: 'boolean' } },
      allowPositionals: true,
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
  const { values, positionals } = parsed
  if (positionals.length !== expected.length)
    throw new UsageError(
      `expected ${expected.length === 0 ? 'no arguments' : expected.join(' ')} after ${name}, got ${positionals.length === 0 ? 'none' : positionals.join(' ')}`,
    )
  return { values: values as Arguments['values'], positionals }
}

function overview(): string {
  const width = Math.max(...Object.keys(subcommands).map((name) => name.length))
  return [
    'Usage: countersign COMMAND [OPTIONS]',
    '',
    ...Object.entries(subcommands).map(
      ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`,
    ),
    '',
    'countersign COMMAND --help shows the arguments of a command. With --json, a command prints one',
    'JSON object. Exit status: 0 done, 1 refused or found unsound, 2 wrong arguments or settings, 70 a',
    'fault of the program itself.',
    '',
  ].join('\n')
}
