import type { IncomingMessage, ServerResponse } from 'node:http'
import { loadVerifyKey, portablePrimitives, verify } from '@countersign/core/signing'
import type { Probe } from '../receiver/probe.ts'
import { createListener } from './listener.ts'

type Outcome = Readonly<Record<string, unknown>> & { readonly id: string }

/** An endpoint for outcomes that listens, with its probe. */
export interface RunningOutcomeReceiver {
  readonly url: string
  readonly probe: Pick<Probe, 'read'>
  close(): Promise<void>
}

interface OutcomeSteps {
  /** Status for an outcome that is not served; null takes it. */
  foreign(outcome: Outcome, applicationId: string): number | null
  /** Stored before the application is looked at. */
  readonly storesFirst: boolean
}

const soundSteps: OutcomeSteps = {
  foreign: ({ applicationId }, own) => (applicationId === own ? null : 403),
  storesFirst: false,
}

/** A fault of an endpoint for outcomes, and the property that finds it. */
export interface BrokenOutcomeReceiver {
  readonly name: string
  readonly killedBy: string
  readonly change: Partial<OutcomeSteps>
}

const killedBy = 'outcome.foreign-application'

/** Endpoints for outcomes that the suite must fail, each by the property that is named. */
export const brokenOutcomeReceivers: readonly BrokenOutcomeReceiver[] = [
  {
    name: 'takes every application that the signature covers',
    killedBy,
    change: { foreign: () => null },
  },
  {
    name: 'acknowledges what it does not serve',
    killedBy,
    change: { foreign: ({ applicationId }, own) => (applicationId === own ? null : 204) },
  },
  {
    name: 'compares without case',
    killedBy,
    change: {
      foreign: ({ applicationId }, own) =>
        String(applicationId).toLowerCase() === own.toLowerCase() ? null : 403,
    },
  },
  {
    name: 'compares a prefix',
    killedBy,
    change: {
      foreign: ({ applicationId }, own) => (String(applicationId).startsWith(own) ? null : 403),
    },
  },
  {
    name: 'answers 410 to what it does not serve',
    killedBy,
    change: { foreign: ({ applicationId }, own) => (applicationId === own ? null : 410) },
  },
  { name: 'stores before it looks', killedBy, change: { storesFirst: true } },
  {
    name: 'refuses its own application',
    killedBy: 'outcome.own-application',
    change: { foreign: () => 403 },
  },
]

/** A small endpoint for outcomes without the kit, sound but for what is replaced. */
export async function startOutcomeReceiver(
  given: { readonly verifyKeys: readonly string[]; readonly applicationId: string },
  change: Partial<OutcomeSteps> = {},
): Promise<RunningOutcomeReceiver> {
  const steps = { ...soundSteps, ...change }
  const keys = given.verifyKeys.map((text) => loadVerifyKey(text, portablePrimitives))
  const stored = new Set<string>()
  const listener = await createListener()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { ok } = verify({ headers: request.rawHeaders, body, keys, now: Date.now() })
    if (!ok) return void response.writeHead(401).end()
    const outcome = JSON.parse(body.toString()) as Outcome
    if (steps.storesFirst) stored.add(outcome.id)
    const refusal = steps.foreign(outcome, given.applicationId)
    if (refusal === null) stored.add(outcome.id)
    response.writeHead(refusal ?? 204).end()
  }
  await listener.listen((request, response) => void answer(request, response))
  return {
    url: listener.url,
    probe: {
      read: async ({ ids }) => ({ stored: ids.flatMap((id) => (stored.has(id) ? [{ id }] : [])) }),
    },
    close: listener.kill,
  }
}
