import { createSuiteReviewers, runOutcomeSuite } from '../outcome/index.ts'
import { outcomeEndpoints } from '../outcome/kind.ts'
import { UsageError } from '../receiver/index.ts'
import type { Command } from './command.ts'
import { judgeEndpoint, listOf } from './judge-endpoint.ts'
import { readArguments } from './receiver-arguments.ts'
import { readReviewers, writeReviewers } from './reviewers-file.ts'
import { tellingWrong } from './telling-wrong.ts'

const help = `Usage: countersign-conformance outcome --url URL --application-id ID [OPTIONS]

Judges an endpoint that takes outcome callbacks: it has to take those of its own application and no other's, to let an
action go on by an approval alone, once, and to keep what every receiver promises.

  --url URL              where it takes outcomes, http or https
  --application-id ID    the application that it serves
  --tenant-id ID         the organization that it serves (ten_conformance)
  --probe URL            answers {stored: [{id}], effects: [{id, count}]}: effects are outcomes by which an action went
                         on, and how often; without a probe only statuses are judged
  --reviewers FILE       reviewers whose keys it pins: approvals that none of them signed must have no effect
  --new-reviewers FILE   makes them and ends: the endpoint pins "pinned", and asked "pinned.asked" at every checkpoint
  --list                 the properties, their levels and what they promise

All other options are those of countersign-conformance receiver, such as --secret, --private-key, --only, --quick,
--budget, --restart, --json, --junit; so is the exit status.
`

const text = { type: 'string' } as const
const own = {
  'application-id': text,
  'tenant-id': text,
  reviewers: text,
  'new-reviewers': text,
} as const

/** `countersign-conformance outcome`. */
export const outcome: Command = tellingWrong('outcome', async (args, around) => {
  const given = readArguments(args, around.env, own)
  const { 'application-id': applicationId, 'tenant-id': tenantId, reviewers: file } = given.own
  const made = given.own['new-reviewers']
  if (given.help || given.list) {
    around.out(
      given.help
        ? help
        : listOf(outcomeEndpoints({ applicationId: '' }, createSuiteReviewers()).properties),
    )
    return 0
  }
  if (made !== undefined) {
    writeReviewers(made)
    around.err(`Pin what ${made} has under "pinned", then judge with --reviewers ${made}\n`)
    return 0
  }
  if (given.url === undefined || applicationId === undefined)
    throw new UsageError('expected --url and --application-id')
  if (file !== undefined && given.probe === undefined && given['probe-command'] === undefined)
    throw new UsageError('--reviewers expected a probe beside it, which shows what was acted on')
  const reviewers = file === undefined ? undefined : readReviewers(file)
  return judgeEndpoint(args, given, around, {
    command: 'outcome',
    run: (options) => runOutcomeSuite({ ...options, applicationId, tenantId, reviewers }),
  })
})
