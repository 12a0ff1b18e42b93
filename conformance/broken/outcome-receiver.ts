import type { IncomingMessage, ServerResponse } from 'node:http'
import { loadVerifyKey, portablePrimitives, verify } from '@countersign/core/signing'
import type { PinnedForSuite } from '../outcome/index.ts'
import type { Probe } from '../receiver/probe.ts'
import { createListener } from './listener.ts'
import { type ApprovalCheck, acts } from './signed-approval.ts'

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
  /** A check of signed approvals that is left out. */
  readonly without?: ApprovalCheck
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

const checks: Readonly<Record<ApprovalCheck, string>> = {
  signature: 'acts on approvals without a signature',
  'pinned key': 'trusts the key that comes with the outcome',
  'kind of key': 'takes the kind of key from the outcome',
  revocation: 'takes a revoked key',
  challenge: 'does not compare the challenge',
  case: 'takes the statement of another case',
  checkpoint: 'takes a statement at another checkpoint',
  decision: 'takes the statement of another decision',
  presentation: 'takes an approval of something harmless',
  'user verification': 'does not ask for user verification',
  'relying party': 'takes another relying party',
  origin: 'takes another origin',
}

/** Endpoints that pin reviewers' keys and leave one check out; all of them by `outcome.unsigned-approval`. */
export const brokenSignedReceivers: readonly BrokenOutcomeReceiver[] = Object.entries(checks).map(
  ([without, name]) => ({
    name,
    killedBy: 'outcome.unsigned-approval',
    change: { without: without as ApprovalCheck },
  }),
)

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
  given: {
    readonly verifyKeys: readonly string[]
    readonly applicationId: string
    /** Pins keys of reviewers; absent: acts on every approval that the service signed. */
    readonly pinned?: PinnedForSuite
  },
  change: Partial<OutcomeSteps> = {},
): Promise<RunningOutcomeReceiver> {
  const steps = { ...soundSteps, ...change }
  const keys = given.verifyKeys.map((text) => loadVerifyKey(text, portablePrimitives))
  const stored = new Set<string>()
  const acted = new Set<string>()
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
    const { pinned } = given
    const isApproved = pinned
      ? acts(outcome, pinned, steps.without)
      : outcome.decision === 'approved'
    if (refusal === null && isApproved) acted.add(outcome.id)
    response.writeHead(refusal ?? 204).end()
  }
  await listener.listen((request, response) => void answer(request, response))
  return {
    url: listener.url,
    probe: {
      read: async ({ ids }) => ({
        stored: ids.flatMap((id) => (stored.has(id) ? [{ id }] : [])),
        effects: ids.flatMap((id) => (acted.has(id) ? [{ id, count: 1 }] : [])),
      }),
    },
    close: listener.kill,
  }
}
