import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Refusal } from '@countersign/core'
import { composeServer } from '../compose.ts'
import { readConfig } from '../config.ts'
import { CommandError, type Subcommand, type Surroundings, UsageError } from './subcommand.ts'
import { standardError } from './with-service.ts'

export const init: Subcommand = {
  summary: 'make an organization with its first admin',
  help: `Usage: countersign init --name NAME --email EMAIL [--admin NAME] [--password-stdin] [--json]

Makes an organization (tenant) and its first admin in the database of the server, which is made
with its directory if it is not there. Needs the settings of the server, from its environment. May be called again for
another organization, also while the server runs.

  --name NAME       of the organization
  --email EMAIL     of the admin, who logs in with it
  --admin NAME      of the admin (default: the e-mail address)
  --password-stdin  read the admin's password from standard input; without it one is made and
                    shown once

  countersign init --name 'Example Ltd' --email ada@example.com
`,
  options: {
    name: { type: 'string' },
    email: { type: 'string' },
    admin: { type: 'string' },
    'password-stdin': { type: 'boolean' },
  },
  positionals: [],
  run: async (given, around) => {
    const name = required(given.values, 'name')
    const email = required(given.values, 'email')
    const admin = typeof given.values.admin === 'string' ? given.values.admin : email
    const shown =
      given.values['password-stdin'] === true ? null : randomBytes(15).toString('base64url')
    const password = shown ?? (await readLine(around))
    const config = readConfig({ COUNTERSIGN_LOG_LEVEL: 'error', ...around.environment })
    // What it will hold is for its owner alone; a directory that is there keeps its mode.
    if (config.databaseUrl === null)
      mkdirSync(dirname(config.database), { recursive: true, mode: 0o700 })
    const server = await composeServer(config, undefined, standardError)
    try {
      const made = await server.service.tenants.create(
        { kind: 'system' },
        { name, admin: { name: admin, email, password } },
      )
      if (!made.ok) throw new CommandError(refused(made.refusal))
      const { tenantId } = made.value.tenant
      const { memberId } = made.value.admin
      return {
        ok: true,
        text: [
          `organization  ${tenantId}  ${name}`,
          `admin         ${memberId}  ${email}`,
          ...(shown === null ? [] : [`password      ${shown}  (shown this once)`]),
          `log in        POST ${config.portalUrl}/v1/auth/login`,
          '',
        ].join('\n'),
        facts: { tenantId, memberId, email, ...(shown !== null && { password: shown }) },
      }
    } finally {
      await server.stop()
    }
  },
}

function required(values: Readonly<Record<string, unknown>>, option: string): string {
  const value = values[option]
  if (typeof value === 'string' && value !== '') return value
  throw new UsageError(`--${option} is missing`)
}

/** The first line of standard input, without its end. */
async function readLine({ input }: Surroundings): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of input) chunks.push(Buffer.from(chunk))
  const [line = ''] = Buffer.concat(chunks).toString('utf8').split(/\r?\n/, 1)
  if (line === '')
    throw new UsageError('--password-stdin: expected the password, got an empty line')
  return line
}

function refused({ detail, errors = [] }: Refusal): string {
  return [detail, ...errors.map((error) => `  ${error.pointer ?? ''}: ${error.detail}`)].join('\n')
}
