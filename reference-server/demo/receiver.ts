import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { nativePrimitives } from '@countersign/node/crypto'
import {
  createOutcomeCallbackHandler,
  createReceiver,
  isApproved,
  logProblems,
} from '@countersign/receiver-kit'
import { nodeHandler } from '@countersign/receiver-kit/node'
import { openSqliteInbox } from '@countersign/sqlite'
import { pino } from 'pino'
import * as z from 'zod'
import { receiverPage, rootHeaders } from '../root-page.ts'

/** A customer's endpoint, as small as the receiver kit lets it be: a process of its own with durable inboxes. */
const settings = z
  .object({
    RECEIVER_PORT: z.coerce.number(),
    RECEIVER_KEY: z.string(),
    RECEIVER_LEGACY_SECRET: z.string(),
    RECEIVER_APPLICATION_ID: z.string(),
    RECEIVER_EVENT_INBOX: z.string(),
    RECEIVER_OUTCOME_INBOX: z.string(),
    RECEIVER_TLS_KEY_FILE: z.string(),
    RECEIVER_TLS_CERT_FILE: z.string(),
  })
  .parse(process.env)

const log = pino({ base: { service: 'demo-receiver' } })
const keys = [settings.RECEIVER_KEY]
const common = {
  keys,
  primitives: nativePrimitives,
  observer: logProblems((line) => log.warn(line)),
}

const eventInbox = openSqliteInbox({ file: settings.RECEIVER_EVENT_INBOX })
const events = createReceiver({
  ...common,
  inbox: eventInbox,
  legacySecrets: [settings.RECEIVER_LEGACY_SECRET],
  onEvent: ({ event, position }) => log.info({ id: event.id, type: event.type, position }, 'event'),
})

const outcomeInbox = openSqliteInbox({ file: settings.RECEIVER_OUTCOME_INBOX })
const outcomes = createOutcomeCallbackHandler({
  ...common,
  applicationId: settings.RECEIVER_APPLICATION_ID,
  inbox: outcomeInbox,
  onOutcome: ({ outcome }) =>
    log.info({ case: outcome.reviewCaseId, resume: isApproved(outcome) }, 'outcome'),
})

const onEvents = nodeHandler(events)
const onOutcomes = nodeHandler(outcomes)
const server = createServer(
  {
    key: readFileSync(settings.RECEIVER_TLS_KEY_FILE),
    cert: readFileSync(settings.RECEIVER_TLS_CERT_FILE),
  },
  (request, response) => {
    if (request.url === '/events') void onEvents(request, response)
    else if (request.url === '/outcomes') void onOutcomes(request, response)
    else if (request.url === '/') response.writeHead(200, rootHeaders).end(receiverPage)
    else response.writeHead(request.url === '/livez' ? 200 : 404).end()
  },
)

events.start()
outcomes.start()
server.listen(settings.RECEIVER_PORT, '127.0.0.1', () =>
  log.info({ port: settings.RECEIVER_PORT }, 'listening'),
)

let stopping = false
async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  server.close()
  server.closeAllConnections()
  await Promise.all([events.stop(), outcomes.stop()])
  await Promise.all([eventInbox.close(), outcomeInbox.close()])
}

process.once('SIGTERM', () => void stop())
// Whoever started it is gone: a receiver that stayed would hold the port against the next start.
process.once('disconnect', () => void stop())
// A listener for it would keep the process alive.
process.channel?.unref()
