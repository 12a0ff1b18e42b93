import { changedApplication } from '../../applications/changed-application.ts'
import {
  type Application,
  applications,
  callbackSecretContext,
} from '../../applications/records.ts'
import { givenUp } from '../../content/activity/records.ts'
import type { Actor } from '../../kernel/callers/actor.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { sameUrl } from '../../kernel/ledger/endpoint-url.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, list, many, one, put } from '../../kernel/ledger/reads.ts'
import { previousAt, type SealedSecret } from '../../kernel/sealing/shared-secret.ts'
import type { Endpoint, Kind, Parts, SettledAttempt, SignAttempt } from '../../outbox/kind.ts'
import { type Message, messages } from '../../outbox/records.ts'
import { loadSigningKey, type SigningKey } from '../../proof/signing/keys.ts'
import { signedHeadersAside } from '../../proof/signing/sign.ts'
import type { CallbackDeps } from '../deps.ts'
import { applicationCheck, type Changes, changesOf } from '../execution/change-set.ts'
import { contextOf, type Scene, sceneOf } from '../execution/scene.ts'
import type { CaseCommand } from '../machine/command.ts'
import { decide } from '../machine/machine.ts'
import { openWithOwnKey, outcomeKeyOf, outcomeKeys } from '../outcome-keys.ts'
import { caseOf, reviewCases } from '../records.ts'
import { hasOwnKey, openOutcome } from '../sealing.ts'
import { sweepPut } from './callback-sweep.ts'
import { caseIdOfOutcome } from './outcome-message.ts'

/** The outbox kind of the outcome callback; its lanes are applications. */
export function createCallbackKind(ports: CallbackDeps): Kind {
  return {
    name: 'callback',
    watches: [applications.name],
    endpoints: async (applicationIds) => {
      const found = await ports.ledger.read(
        null,
        applicationIds.map((id) =>
          list(applications, { where: [['applicationId', '=', id]], by: 'byId', take: 1 }),
        ),
      )
      const endpoints = found
        .flatMap((answer) => many(applications, answer))
        .flatMap(({ row }) => endpointOf(row, ports) ?? [])
      return new Map(endpoints.map((endpoint) => [endpoint.endpointId, endpoint]))
    },
    open: (stored) =>
      hasOwnKey(stored.body) ? openOwn(ports, stored) : openOutcome(ports.sealer, stored),
    entails: (settled) => attemptsOf(settled) > 0 || settled.after.status === 'dead_lettered',
    consequences: (settled, unit) => consequences(ports, settled, unit),
  }
}

/** An outcome whose case is being erased; its key is read for each attempt. */
async function openOwn(
  ports: CallbackDeps,
  stored: Pick<Message, 'tenantId' | 'messageId' | 'body'>,
): Promise<Uint8Array> {
  const [found] = await ports.ledger.read(null, [outcomeKeyOf(stored.messageId)])
  return openWithOwnKey(ports, stored, one(outcomeKeys, found)?.row)
}

function endpointOf(application: Application, ports: CallbackDeps): Endpoint | null {
  const { tenantId, applicationId, outcomeCallback } = application
  if (!outcomeCallback) return null
  const { url, enabled, gone } = outcomeCallback
  return {
    endpointId: applicationId,
    tenantId,
    url,
    sign: signerOf(application, ports),
    admits: () => !gone,
    paused: !enabled && !gone,
  }
}

const fromUtf8 = new TextDecoder('utf-8', { fatal: true })

/** `v1a` with the tenant's keys, or `v1` with the secrets that this application shares with us. */
function signerOf(application: Application, ports: CallbackDeps): SignAttempt {
  const { tenantId, outcomeCallback } = application
  if (!outcomeCallback?.secret)
    return async ({ messageId, body, now }) => {
      const { keys, version } = await ports.keys.signers(tenantId, now)
      return headersOf(messageId, body, now, keys, version)
    }
  // Opened at the first use, so that a secret that does not open fails its own deliveries alone.
  const opened = new Map<number, SigningKey>()
  const keyOf = (one: SealedSecret): SigningKey => {
    const key = opened.get(one.version) ?? openSecret(application, one, ports)
    opened.set(one.version, key)
    return key
  }
  const { secret } = outcomeCallback
  return ({ messageId, body, now }) => {
    const previous = previousAt(outcomeCallback, now)
    const keys = [secret, ...(previous ? [previous] : [])].map(keyOf)
    return headersOf(messageId, body, now, keys, secret.version)
  }
}

function openSecret(
  { tenantId, applicationId }: Application,
  { version, sealed }: SealedSecret,
  { sealer, primitives }: CallbackDeps,
): SigningKey {
  const context = callbackSecretContext(tenantId, applicationId, version)
  return loadSigningKey(fromUtf8.decode(sealer.open(sealed, context)), primitives)
}

function headersOf(
  id: string,
  body: Uint8Array,
  now: number,
  keys: readonly SigningKey[],
  version: number,
): ReturnType<SignAttempt> {
  const signed = signedHeadersAside({ id, timestamp: Math.floor(now / 1000), body, keys })
  const whole = (made: Readonly<Record<string, string>>) => ({
    'content-type': 'application/json',
    ...made,
    'webhook-key-version': String(version),
  })
  return signed instanceof Promise ? signed.then(whole) : whole(signed)
}

const system: Actor = { kind: 'system' }

/** Rows 10 and 11, and what a 410 does to the application's endpoint. */
async function consequences(
  ports: CallbackDeps,
  settled: SettledAttempt,
  unit: UnitOfWork,
): Promise<Parts> {
  const { messageId, tenantId } = settled.after
  const [sent, own] = await unit.read([get(messages, [messageId]), outcomeKeyOf(messageId)])
  const message = one(messages, sent)
  const key = one(outcomeKeys, own)
  if (!message) return {}
  // Without its key, which a purge took, nobody knows whose outcome it was.
  if (!key && hasOwnKey(message.row.body)) return {}
  const reviewCaseId = key?.row.reviewCaseId ?? caseIdOfOutcome(message.row, ports.sealer)
  const [found] = await unit.read([caseOf(reviewCaseId)])
  const was = one(reviewCases, found)
  if (!was) return {}
  const scene = await sceneOf(unit, tenantId, was.row.applicationId)
  const isLost = settled.after.status === 'dead_lettered'
  const lost = isLost ? givenUp(unit, settled.before, scene.application) : null
  const decided = decide(was.row, commandOf(settled), contextOf(system, scene))
  const gone = await goneParts(settled, scene)
  const late = await sweepAfter(settled, scene)
  const changes =
    decided.kind === 'moved' ? changesOf(ports, scene, was, decided, system) : unchanged
  return {
    // After a 410 the application's row is written.
    checks: [...changes.checks, ...(gone.puts ? [] : (lost?.checks ?? [])), ...late.checks],
    puts: [...changes.puts, ...(gone.puts ?? []), ...late.puts, ...(lost?.puts ?? [])],
    appends: [...changes.appends, ...(gone.appends ?? [])],
  }
}

/** One in flight when its endpoint ended was passed over by the sweep: it must not wait for its next retry. */
async function sweepAfter(
  { after }: SettledAttempt,
  { application, unit }: Scene,
): Promise<Required<Pick<Parts, 'checks' | 'puts'>>> {
  if (after.status !== 'retry_scheduled' || !application) return { checks: [], puts: [] }
  const { tenantId, applicationId, lifecycleState, outcomeCallback } = application.row
  const checks = [applicationCheck(tenantId, applicationId, application.version)]
  const isPurged = lifecycleState === 'purging' || lifecycleState === 'purged'
  const isOver = !outcomeCallback || outcomeCallback.gone
  return { checks, puts: isOver && !isPurged ? [await sweepPut(unit, application.row)] : [] }
}

const unchanged: Changes = { checks: [], puts: [], appends: [] }

/** Attempts that the case does not have yet: this one, and those before it that were interrupted. */
function attemptsOf({ before, after, answer }: SettledAttempt): number {
  const interrupted = after.interrupted - before.interrupted
  return interrupted + (answer === null ? 0 : 1)
}

function commandOf(settled: SettledAttempt): CaseCommand {
  const { after } = settled
  const outcome =
    after.status === 'delivered'
      ? 'received'
      : after.status === 'dead_lettered'
        ? 'given_up'
        : 'retrying'
  return { type: 'callback_settled', outcome, attempts: attemptsOf(settled) }
}

/** After a 410 nothing more goes to that URL; one that was saved since has not been tried yet. */
async function goneParts(
  { answer, endpoint }: SettledAttempt,
  { application, at, unit }: Scene,
): Promise<Parts> {
  const callback = application?.row.outcomeCallback
  if (answer?.kind !== 'answer' || answer.status !== 410) return {}
  if (!application || !callback || callback.gone || !endpoint) return {}
  if (!sameUrl(callback.url, endpoint.url)) return {}
  const { tenantId, applicationId } = application.row
  return {
    puts: [
      put(
        applications,
        changedApplication(application.row, { outcomeCallback: { ...callback, gone: true } }, at),
        application,
      ),
      await sweepPut(unit, application.row),
    ],
    appends: [
      audit(tenantId, {
        at: isoTime(at),
        actor: 'system',
        action: 'application.outcome_callback_gone',
        subject: applicationId,
        detail: { reason: 'endpoint_gone' },
      }),
    ],
  }
}
