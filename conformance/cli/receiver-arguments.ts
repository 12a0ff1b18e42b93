import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { keyPairOf } from '@countersign/core/signing'
import { httpUrl } from '../receiver/http-url.ts'
import { UsageError } from '../receiver/index.ts'
import { nodePrimitives } from '../receiver/node-primitives.ts'

export const help = `Usage: countersign-conformance receiver --url URL [OPTIONS]

Sends generated delivery histories to a receiver and judges its answers and, through a probe, its effects.

Target
  --url URL              where it takes deliveries, http or https
  --wait SECONDS         until it accepts a plain delivery (0; 120 with a generated key)
Keys, all valid at once; env:NAME as a value reads it from the environment
  --secret whsec_…       a shared secret; may be repeated
  --private-key whsk_…   an Ed25519 key, whose public half the receiver has; may be repeated
                         neither: a pair is generated, and its public half printed
  --legacy-secret TEXT  the secret of the legacy family (X-Service-Signature)
Probe, what the receiver did; without one only statuses are judged
  --probe URL            answers {stored: [{id}], effects: [{id, count}], heads: [{reviewCaseId, …}]}
  --probe-command CMD    writes the same; the question is on its standard input
  --restart CMD          kills the receiver and starts it again; it may end before that listens
Scope
  --only NAME            a property or a group (signature.altered, signature); may be repeated
  --quick                a part of everything within 9 s, for each save of a file
  --budget SECONDS       no history begins later; what is left out is told (60, and up to 180 for those required
                         properties that a busy machine had no time for)
  --except NAME=REASON   reports a failure of this property without failing; may be repeated
  --strict               fails for hardening too, not for required properties alone
  --runs N               histories that an ordinary property draws besides its listed cases (20)
  --lanes N              properties at once (4 to 16, by the receiver's speed)
  --seed N --path P      a counterexample once more, with --only
  --deadline-ms N        an answer counts until then (10000)
  --settle-ms N          an effect has to show until then (5000)
  --resume-ms N          after a kill, what the dead process held is handled until then (35000)
Output
  --json                 the report as JSON on standard output
  --junit FILE           the report as JUnit XML besides
  --quiet                no progress
  --list                 the properties, their levels and what they promise
  --self-test            tries the suite on sound and broken receivers of its own; takes --only, --runs, --seed

Levels: a required property keeps effects from being lost, doubled or forged; hardening is for what no sender
of good faith sends, or what costs the receiver alone.
Exit status: 0 no required property failed, 1 one did (with --strict: any did), 2 wrong arguments or a broken probe,
3 none failed and some were not judged for want of time (the last line tells the --budget that this machine needs),
70 the command itself died.
`

const options = {
  url: { type: 'string' },
  wait: { type: 'string' },
  secret: { type: 'string', multiple: true },
  'private-key': { type: 'string', multiple: true },
  'legacy-secret': { type: 'string' },
  probe: { type: 'string' },
  'probe-command': { type: 'string' },
  restart: { type: 'string' },
  only: { type: 'string', multiple: true },
  quick: { type: 'boolean', default: false },
  budget: { type: 'string' },
  except: { type: 'string', multiple: true },
  strict: { type: 'boolean', default: false },
  runs: { type: 'string' },
  lanes: { type: 'string' },
  seed: { type: 'string' },
  path: { type: 'string' },
  'deadline-ms': { type: 'string' },
  'settle-ms': { type: 'string' },
  'resume-ms': { type: 'string' },
  json: { type: 'boolean', default: false },
  junit: { type: 'string' },
  quiet: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  'self-test': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

export type Arguments = ReturnType<typeof readArguments>

/** Throws a UsageError. */
export function readArguments<Own extends string = never>(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  /** Options that only this command has. */
  ownOptions: Readonly<Record<Own, { readonly type: 'string' }>> = {} as never,
) {
  const { values, own } = parse(args, ownOptions)
  const secret = (name: string, text: string): string => {
    if (!text.startsWith('env:')) return text
    const found = env[text.slice('env:'.length)]
    if (found) return found
    throw new UsageError(`--${name} expected a value in ${text.slice(4)}, the environment has none`)
  }
  const whole = (
    name: 'wait' | 'budget' | 'runs' | 'lanes' | 'seed' | 'deadline-ms' | 'settle-ms' | 'resume-ms',
  ) => {
    const text = values[name]
    if (text === undefined) return undefined
    if (/^-?\d{1,15}$/.test(text)) return Number(text)
    throw new UsageError(`--${name} expected a whole number, got ${text}`)
  }
  if (values.probe !== undefined && values['probe-command'] !== undefined)
    throw new UsageError('expected --probe or --probe-command, got both')
  if (values.probe !== undefined) httpUrl('--probe', values.probe)
  const { secret: secrets = [], 'private-key': privateKeys = [] } = values
  const keys = [
    ...secrets.map((text) => secret('secret', text)),
    ...privateKeys.map((text) => secret('private-key', text)),
  ]
  const legacySecret = values['legacy-secret']
  return {
    ...values,
    own,
    wait: whole('wait'),
    budgetMs: seconds(whole('budget')),
    except: readExceptions(values.except ?? []),
    runs: whole('runs'),
    lanes: whole('lanes'),
    seed: whole('seed'),
    deadlineMs: whole('deadline-ms'),
    settleMs: whole('settle-ms'),
    resumeMs: whole('resume-ms'),
    keys,
    legacySecret: legacySecret && secret('legacy-secret', legacySecret),
    generated: keys.length === 0 ? keyPairOf(randomBytes(32), nodePrimitives) : null,
  }
}

const seconds = (count: number | undefined) => (count === undefined ? undefined : count * 1000)

function readExceptions(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = '', reason] = text.split(/=(.*)/s, 2)
      if (reason === undefined)
        throw new UsageError(`--except expected PROPERTY=REASON, got ${text}`)
      return [name, reason]
    }),
  )
}

function parse<Own extends string>(
  args: readonly string[],
  ownOptions: Readonly<Record<Own, { readonly type: 'string' }>>,
) {
  const how = { allowPositionals: false, strict: true } as const
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { ...options, ...ownOptions },
      ...how,
    })
    const texts = values as object as Readonly<Partial<Record<Own, string>>>
    const given = values as ReturnType<typeof parseArgs<{ options: typeof options }>>['values']
    return { values: given, own: texts }
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

const secretOptions = new Set(['--secret', '--private-key', '--legacy-secret'])
const replaced = new Set(['--only', '--seed', '--path', '--junit'])

/** The command for a replay: without its scope and output, and without telling a secret to a log. */
export function commandOf(command: string, args: readonly string[]): string {
  const words = ['countersign-conformance', command]
  for (let at = 0; at < args.length; at++) {
    const [name = '', value = args[at + 1]] = (args[at] ?? '').split(/=(.*)/s, 2)
    // What is none of these is an option of one command alone, and has a value.
    const type = Object.hasOwn(options, name.slice(2))
      ? options[name.slice(2) as keyof typeof options].type
      : 'string'
    if (type === 'string' && !args[at]?.includes('=')) at += 1
    if (replaced.has(name) || name === '--json') continue
    if (type === 'boolean') words.push(name)
    else if (secretOptions.has(name) && !value?.startsWith('env:')) words.push(name, '…')
    else words.push(name, quoted(value ?? ''))
  }
  return words.join(' ')
}

function quoted(text: string): string {
  return /^[\w:/.@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
