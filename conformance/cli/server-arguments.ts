import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { httpUrl } from '../receiver/http-url.ts'
import { UsageError } from '../receiver/index.ts'
import type { Login, ServerTarget, SinkSettings } from '../server/index.ts'

export const help = `Usage: countersign-conformance server --ingest URL --portal URL [OPTIONS]

Plays against a server of the interface, over HTTP alone, and judges what it answers and what it sends.
It opens cases and makes webhooks in the organization that it is given: use one made for tests.

Target
  --ingest URL, --portal URL   the two hosts
  --ca FILE                    PEM of the authority of both
  --credentials FILE           JSON: {"applicationId", "applicationKey", "customerKey"?, "admin": {"email", "password"},
                               "reviewer": {…}, "stranger": {…}}; each can be given by itself:
  --application ID --application-key KEY
  --customer-key KEY           of that application, primary ingest or secondary, whole
  --admin EMAIL:PASSWORD       a CustomerAdmin
  --reviewer EMAIL:PASSWORD    a member who may review cases and is no CustomerAdmin
  --stranger EMAIL:PASSWORD    a CustomerAdmin of another organization
  --staff URL --staff-token TOKEN   the host of the deployment's staff, without which nothing of it is judged
  --staff-colleague NAME       another name of staff, who vouches for a deletion (default: colleague)
                               env:NAME as a value reads it from the environment
Deliveries, without which none is judged
  --sink-url URL               where the server reaches this machine, such as https://localhost:9443
  --sink-port N                the port to listen on, if it is not the one of the URL
  --sink-key FILE, --sink-cert FILE   PEM, of an authority that the server's deliveries trust
Time, without which nothing that takes time is judged
  --clock URL                  POST URL?advance=MS moves the server's clock (COUNTERSIGN_TEST_CLOCK_PORT)
Scope
  --only NAME                  a check or a group (cases.claim, cases); may be repeated
Output
  --json                       the report as JSON on standard output
  --junit FILE                 the report as JUnit XML besides
  --quiet                      no progress
  --list                       the checks and what they promise

What npm start of the reference server makes in .countersign serves as all of these:
  --ca .countersign/ca/ca.crt --credentials .countersign/demo.json
  --sink-url https://localhost:9443 --sink-key .countersign/localhost.key --sink-cert .countersign/localhost.crt

Exit status: 0 nothing failed, 1 a check failed, 2 wrong arguments, or a server or clock that
can't be reached, or that lets none of the two members log in, 70 the command itself died.
`

const text = { type: 'string' } as const
const options = {
  ingest: text,
  portal: text,
  ca: text,
  credentials: text,
  application: text,
  'application-key': text,
  'customer-key': text,
  admin: text,
  reviewer: text,
  stranger: text,
  staff: text,
  'staff-token': text,
  'staff-colleague': text,
  'sink-url': text,
  'sink-port': text,
  'sink-key': text,
  'sink-cert': text,
  clock: text,
  only: { type: 'string', multiple: true },
  json: { type: 'boolean', default: false },
  junit: text,
  quiet: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

type Environment = Readonly<Record<string, string | undefined>>
type Values = ReturnType<typeof readServerArguments>

/** Throws a UsageError. */
export function readServerArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false, strict: true }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** The target that the arguments, and the file of credentials, describe; throws a UsageError. */
export function targetOf(values: Values, env: Environment): ServerTarget {
  const file = values.credentials === undefined ? {} : readJson(values.credentials)
  const needed = (given: unknown, name: string): string => {
    if (typeof given === 'string' && given !== '') return given
    throw new UsageError(`expected --${name}`)
  }
  const origin = (
    name: 'ingest' | 'portal' | 'clock' | 'staff',
    given: string | undefined,
  ): string => {
    const text = needed(given, name)
    httpUrl(`--${name}`, text)
    return text
  }
  const login = (name: 'admin' | 'reviewer' | 'stranger'): Login | undefined => {
    const given = values[name] === undefined ? undefined : resolved(values[name], name, env)
    if (given !== undefined) return splitLogin(given, name)
    const found = file[name] as Partial<Login> | undefined
    if (found === undefined) return undefined
    if (typeof found?.email === 'string' && typeof found.password === 'string')
      return { email: found.email, password: found.password }
    throw new UsageError(`expected {email, password} as ${name} in ${values.credentials}`)
  }
  const required = (name: 'admin' | 'reviewer'): Login => {
    const found = login(name)
    if (found) return found
    throw new UsageError(`expected --${name} EMAIL:PASSWORD, or it in --credentials`)
  }
  const key = values['application-key']
  const customerKey =
    values['customer-key'] === undefined
      ? file.customerKey
      : resolved(values['customer-key'], 'customer-key', env)
  const stranger = login('stranger')
  const sink = sinkOf(values)
  return {
    ingest: origin('ingest', values.ingest),
    portal: origin('portal', values.portal),
    ...(values.ca !== undefined && { ca: read(values.ca, 'ca') }),
    applicationId: needed(values.application ?? file.applicationId, 'application'),
    applicationKey: needed(
      key === undefined ? file.applicationKey : resolved(key, 'application-key', env),
      'application-key',
    ),
    admin: required('admin'),
    reviewer: required('reviewer'),
    ...(typeof customerKey === 'string' && { customerKey }),
    ...(stranger && { stranger }),
    ...(values.staff !== undefined && {
      staff: {
        url: origin('staff', values.staff),
        token: resolved(needed(values['staff-token'], 'staff-token'), 'staff-token', env),
        ...(values['staff-colleague'] !== undefined && { colleague: values['staff-colleague'] }),
      },
    }),
    ...(sink && { sink }),
    ...(values.clock !== undefined && { clock: origin('clock', values.clock) }),
  }
}

function sinkOf(values: Values): SinkSettings | undefined {
  const { 'sink-url': url, 'sink-key': key, 'sink-cert': cert, 'sink-port': port } = values
  if (url === undefined && key === undefined && cert === undefined) return undefined
  if (url === undefined || key === undefined || cert === undefined)
    throw new UsageError('expected --sink-url, --sink-key and --sink-cert together')
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
    throw new UsageError(`--sink-url expected an https URL, got ${url}`)
  const listen = Number(port ?? (new URL(url).port || 443))
  if (!Number.isInteger(listen) || listen < 0 || listen > 65_535)
    throw new UsageError(`--sink-port expected a port, got ${port}`)
  return { url, port: listen, key: read(key, 'sink-key'), cert: read(cert, 'sink-cert') }
}

function resolved(value: string, name: string, env: Environment): string {
  if (!value.startsWith('env:')) return value
  const found = env[value.slice('env:'.length)]
  if (found) return found
  throw new UsageError(`--${name} expected a value in ${value.slice(4)}, the environment has none`)
}

function splitLogin(value: string, name: string): Login {
  const colon = value.indexOf(':')
  if (colon < 1) throw new UsageError(`--${name} expected EMAIL:PASSWORD`)
  return { email: value.slice(0, colon), password: value.slice(colon + 1) }
}

function read(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(`--${name}: ${(error as Error).message}`)
  }
}

function readJson(path: string): Readonly<Record<string, unknown>> {
  try {
    return { ...(JSON.parse(read(path, 'credentials')) as object) }
  } catch (error) {
    throw new UsageError(`--credentials expected a JSON object: ${(error as Error).message}`)
  }
}
