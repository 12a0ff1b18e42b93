import { randomUUID } from 'node:crypto'
import type { PortalClient } from '@countersign/client/portal'
import { type Forwarded, openForwarder } from './forward.ts'
import { findRunningServer, type RunningServer } from './running-server.ts'
import {
  type Arguments,
  CommandError,
  type Report,
  type Subcommand,
  type Surroundings,
  UsageError,
} from './subcommand.ts'

type EventTypes = Parameters<PortalClient['webhooks']['create']>[0]['eventTypes']

/** By what webhooks of this command are known. */
const description = 'countersign listen'

/** `countersign listen`: events of the server that `npm start` runs, forwarded to an endpoint under development. */
export const listenCommand: Subcommand = {
  summary: 'forward events of a server that npm start runs to your endpoint',
  help: `Usage: countersign listen --forward URL [--events TYPE,TYPE] [--json]
       countersign listen --replay ID [--json]

Makes a webhook and forwards each of its deliveries to URL, byte for byte and with its headers, until
Ctrl-C; what URL answers is what the service is answered, and 502 where URL gives no answer, after
which the service tries again on its schedule. Prints the public key to verify with, which is the
same at each start, and for each delivery its type, case, answer and ms. Its webhook is removed at the
end; what a killed one left is removed by the next one.

  --forward URL    your endpoint: http or https
  --events TYPES   event types with commas between; else all
  --replay ID      sends an event (evt_…) or delivery (dlv_…) again, through the listener that runs

Needs no settings: it reads the directory of npm start, .countersign or what COUNTERSIGN_DIRECTORY
names. With --json each line is an object.

  countersign listen --forward http://localhost:3000/hook
  countersign listen --forward http://localhost:3000/hook --events review.case.decided
`,
  options: {
    forward: { type: 'string' },
    events: { type: 'string' },
    replay: { type: 'string' },
  },
  positionals: [],
  run: async ({ values }, around) => {
    const { replay } = values
    const alone = values.forward === undefined && values.events === undefined
    if (typeof replay === 'string' && !alone)
      throw new UsageError(
        'expected --replay ID alone: it goes through the listener that runs, in another terminal',
      )
    const act = typeof replay === 'string' ? replaying(replay) : listening(values, around)
    const server = await findRunningServer(around)
    try {
      return await act(server)
    } finally {
      await server.close()
    }
  },
}

type Act = (server: RunningServer) => Promise<Report>

function listening(values: Arguments['values'], around: Surroundings): Act {
  const target = targetOf(values.forward)
  const eventTypes = typesOf(values.events)
  const json = values.json === true
  const print = (facts: object, text: string) =>
    around.out(json ? `${JSON.stringify(facts)}\n` : text)
  return async (server) => {
    const { portal, legacySecret: secret } = server
    const asked = untilAsked()
    await removeLeft(server)
    const path = `/${randomUUID()}`
    let forwarded = 0
    // A first delivery may be here before the answer that tells what was made.
    let early: Forwarded[] | null = []
    const forwarder = await openForwarder({
      target,
      tls: server.tls,
      path,
      onForwarded: (one) => {
        forwarded++
        if (early) early.push(one)
        else print(one, lineOf(one))
      },
    })
    const url = `https://localhost:${forwarder.port}${path}`
    let webhookId: string
    let left: string | null
    try {
      const made = await portal.webhooks.create({ url, secret, eventTypes, description })
      const { publicKey } = made.signing
      webhookId = made.id
      print(
        { webhookId, publicKey, secret, forward: target.href },
        `Forwarding to ${target.href} until Ctrl-C.

  webhook     ${webhookId}
  public key  ${publicKey}
  secret      ${secret}   (signs events of the legacy family)

`,
      )
      for (const one of early) print(one, lineOf(one))
      early = null
      await asked
      left = await removed(portal, webhookId)
    } finally {
      await forwarder.close()
    }
    if (left !== null) around.err(`countersign listen: ${left}\n`)
    const text = `forwarded ${forwarded}, ${left === null ? 'removed' : 'left'} ${webhookId}\n`
    return { ok: true, text, facts: { forwarded, webhookId, removed: left === null } }
  }
}

/** The fault for which a webhook could not be removed; null where it is gone. */
async function removed(portal: PortalClient, webhookId: string): Promise<string | null> {
  try {
    await portal.webhooks.remove({ webhookId })
    return null
  } catch (error) {
    const { message } = error as Error
    return `webhook ${webhookId} is left, and the next listener removes it: ${message}`
  }
}

/** Removes webhooks of listeners that were killed; those that still answer are somebody's in another terminal. */
async function removeLeft(server: RunningServer): Promise<void> {
  for (const { id: webhookId, url } of await own(server.portal))
    if (!(await server.answers(url))) await server.portal.webhooks.remove({ webhookId })
}

async function own(portal: PortalClient) {
  const { webhooks } = await portal.webhooks.list({})
  return webhooks.filter((webhook) => webhook.description === description)
}

function replaying(id: string): Act {
  if (!/^(evt|dlv)_\w+$/.test(id))
    throw new UsageError(
      `expected in --replay an event (evt_…) or a delivery (dlv_…), got ${JSON.stringify(id)}`,
    )
  return async ({ portal, answers }) => {
    let listeners = 0
    for (const { id: webhookId, url } of await own(portal)) {
      if (!(await answers(url))) continue
      listeners++
      const eventId = await owed(portal, webhookId, id)
      if (eventId === null) continue
      const { results } = await portal.webhooks.replay({ webhookId, eventId })
      const result = results[0]?.result
      return {
        ok: true,
        text: `${eventId} to ${webhookId}: ${result}\n`,
        facts: { eventId, webhookId, result },
      }
    }
    throw new CommandError(
      listeners === 0
        ? 'no listener runs: start countersign listen --forward URL in another terminal'
        : `${id} was sent to no listener that runs: only what happened since it was started can be sent again`,
    )
  }
}

/** The event that a webhook was owed, by its id or that of the delivery; null where there is none. */
async function owed(portal: PortalClient, webhookId: string, id: string): Promise<string | null> {
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<PortalClient['webhooks']['listDeliveries']>> =
      await portal.webhooks.listDeliveries({ webhookId, limit: 100, ...(after && { after }) })
    const found = page.rows.find(({ eventId, deliveryId }) => eventId === id || deliveryId === id)
    if (found) return found.eventId
    after = page.next
  } while (after !== null)
  return null
}

function targetOf(given: string | boolean | undefined): URL {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : null
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return url
  throw new UsageError(
    `expected in --forward the http or https URL of your endpoint, such as http://localhost:3000/hook, got ${given === undefined ? 'nothing' : JSON.stringify(given)}`,
  )
}

/** The service refuses what is none of its types, and lists them. */
function typesOf(given: string | boolean | undefined): EventTypes {
  if (given === undefined) return ['*']
  const types = String(given)
    .split(',')
    .map((type) => type.trim())
  if (types.includes(''))
    throw new UsageError(
      `expected in --events event types with commas between, got ${JSON.stringify(given)}`,
    )
  return types as unknown as EventTypes
}

function lineOf({ type, reviewCaseId, status, ms, error }: Forwarded): string {
  const facts = [
    (type ?? '-').padEnd(36),
    (reviewCaseId ?? '-').padEnd(29),
    String(status ?? '-').padEnd(3),
    `${ms} ms`,
  ]
  const lines = [facts.join('  '), ...(error === null ? [] : [`  ${error}`])]
  if (status === 410)
    lines.push('  410 ends a webhook for good: start the listener again to receive')
  return lines.map((line) => `${line}\n`).join('')
}

/** Resolves at the first request to end; a terminal and npm may send it twice. */
function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => resolve())
  })
}
