import { parseArgs } from 'node:util'
import { SigningKeyError } from '@countersign/core/signing'
import { runOutcomeSuite } from '../outcome/index.ts'
import { httpProbe, ProbeError, textReport, UsageError } from '../receiver/index.ts'
import type { Command, Surroundings } from './command.ts'
import { exitCode } from './exit-code.ts'
import { readReviewers, writeReviewers } from './reviewers-file.ts'

const help = `Usage: countersign-conformance outcome --url URL --application-id ID [OPTIONS]

Judges an endpoint that takes outcome callbacks: it has to take those of its own application, and no other's.

  --url URL              where it takes outcomes, http or https
  --application-id ID    the application that it serves
  --tenant-id ID         the organization that it serves (ten_conformance)
  --secret whsec_…       a shared secret that it verifies with; env:NAME reads it from the environment
  --private-key whsk_…   an Ed25519 key whose public half it has
  --probe URL            answers {stored: [{id}]}, with --reviewers {effects: [{id, count}]} too, the outcomes that
                         it acted on; without one only statuses are judged
  --reviewers FILE       reviewers whose keys it pins: approvals that none of them signed must have no effect
  --new-reviewers FILE   makes them and ends: the endpoint pins "pinned", and asked "pinned.asked" at every checkpoint
  --runs N --seed N      histories of each property (30)
  --budget SECONDS       no history begins later (60)
  --json                 the report as JSON

Exit status: 0 nothing failed, 1 a property failed, 2 wrong arguments or a broken probe,
3 none failed and some were not judged for want of time (the last line tells the --budget that this machine needs),
70 the command itself died.
`

const text = { type: 'string' } as const
const options = {
  url: text,
  'application-id': text,
  'tenant-id': text,
  secret: text,
  'private-key': text,
  probe: text,
  reviewers: text,
  'new-reviewers': text,
  runs: text,
  seed: text,
  budget: text,
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** `countersign-conformance outcome`. */
export const outcome: Command = async (args, around) => {
  try {
    return await judge(args, around)
  } catch (error) {
    if (
      error instanceof UsageError ||
      error instanceof SigningKeyError ||
      error instanceof ProbeError
    ) {
      around.err(`${error.message}\nTry countersign-conformance outcome --help\n`)
      return 2
    }
    throw error
  }
}

async function judge(args: readonly string[], around: Surroundings): Promise<number> {
  const given = parse(args)
  if (given.help) {
    around.out(help)
    return 0
  }
  const made = given['new-reviewers']
  if (made !== undefined) {
    writeReviewers(made)
    around.err(`Pin what ${made} has under "pinned", then judge with --reviewers ${made}\n`)
    return 0
  }
  const { url, 'application-id': applicationId, probe, json } = given
  if (url === undefined || applicationId === undefined)
    throw new UsageError('expected --url and --application-id')
  if (given.reviewers !== undefined && probe === undefined)
    throw new UsageError('--reviewers expected a probe beside it, which shows what was acted on')
  const keys = [given.secret, given['private-key']].flatMap((key) =>
    key === undefined ? [] : [readKey(key, around)],
  )
  const budget = whole('budget', given.budget)
  const report = await runOutcomeSuite({
    url,
    applicationId,
    tenantId: given['tenant-id'],
    keys,
    probe: probe === undefined ? undefined : await httpProbe(probe),
    reviewers: given.reviewers === undefined ? undefined : readReviewers(given.reviewers),
    runs: whole('runs', given.runs),
    seed: whole('seed', given.seed),
    budgetMs: budget && 1000 * budget,
  })
  around.out(json ? `${JSON.stringify(report, null, 2)}\n` : textReport(report))
  return exitCode(report)
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false, strict: true }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function readKey(key: string, { env }: Surroundings): string {
  if (!key.startsWith('env:')) return key
  const found = env[key.slice('env:'.length)]
  if (found) return found
  throw new UsageError(`expected a key in ${key.slice('env:'.length)}, the environment has none`)
}

function whole(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given)
  throw new UsageError(`--${name} expected a whole number, got ${given}`)
}
