import { customerKeys, keyRequests } from '@countersign/core/internal'
import { type SeededRandom, seededRandom } from '@countersign/core/testing'
import type { Command, KeyAct } from '../plan.ts'
import { keyText } from '../truth.ts'
import { staff } from './application-acts.ts'
import type { Stage } from './stage.ts'

const actions = [
  'issue-customer-key',
  'issue-secondary-key',
  'revoke-key',
  'rotate-tenant-key',
] as const

export async function actOnKeys(
  stage: Stage,
  command: Extract<Command, { kind: KeyAct }>,
): Promise<void> {
  const app = stage.cast.applications[command.app]
  if (app) await acts[command.kind](stage, app.applicationId, seededRandom(command.draw))
}

type Act = (stage: Stage, applicationId: string, draw: SeededRandom) => Promise<void>

function pick<T>(draw: SeededRandom, from: readonly T[]): T | undefined {
  return from[draw.below(Math.max(1, from.length))]
}

/** Whether a key's row, as it is committed now, lets anybody in. */
function isActive({ truth, cast }: Stage, keyId: string): boolean {
  const row = truth.rows(customerKeys).get(keyText([cast.tenantId, keyId]))?.row
  return row !== undefined && row.revokedAt === null
}

const acts: Readonly<Record<KeyAct, Act>> = {
  async key_issue(stage, applicationId, draw) {
    const { client, cast, memory, world } = stage
    const heard = await client.ask(draw, `issue a key of ${applicationId}`, (service) =>
      service.customerKeys.issue(cast.admin, { applicationId }),
    )
    if (heard.kind !== 'ok') return
    const { keyId, value } = heard.value
    memory.keys.set(keyId, value)
    if (!stage.issued.has(keyId))
      world.broken('acknowledged is kept', `${keyId} was told as issued, not committed`)
  },
  async key_revoke(stage, _, draw) {
    const { client, cast, memory, world } = stage
    const keyId = pick(draw, [...memory.keys.keys()])
    if (keyId === undefined) return
    await useKey(stage, keyId, draw)
    const heard = await client.ask(draw, `revoke ${keyId}`, (service) =>
      service.customerKeys.revoke(cast.admin, { keyId: keyId }),
    )
    if (heard.kind === 'ok' && isActive(stage, keyId))
      world.broken('acknowledged is kept', `${keyId} was told as revoked, not committed`)
    await useKey(stage, keyId, draw)
  },
  async key_use(stage, _, draw) {
    const keyId = pick(draw, [...stage.memory.keys.keys()])
    if (keyId === undefined) return
    await useKey(stage, keyId, draw)
    await stage.client.wait(draw.below(5_000))
    await useKey(stage, keyId, draw)
  },
  async key_ask(stage, applicationId, draw) {
    const { client, cast, memory } = stage
    const action = pick(draw, actions) ?? 'issue-customer-key'
    const keyId = pick(draw, [...memory.keys.keys()])
    const reason = 'for the simulation'
    const of = action.startsWith('issue') ? { applicationId } : {}
    const about = action === 'revoke-key' && keyId !== undefined ? { keyId } : of
    const heard = await client.ask(draw, `ask for ${action}`, (service) =>
      service.keyRequests.submit(cast.admin, { action, ...about, reason }),
    )
    if (heard.kind !== 'ok') return
    const requestId = heard.value.id
    memory.requests.push(requestId)
    // Mostly staff goes through with it, and looks at it again.
    if (draw.chance(0.3)) return
    for (const step of ['approve', 'execute'] as const)
      await client.ask<object>(draw, `${step} ${requestId}`, (service) =>
        service.keyRequests[step](staff, { requestId, reason: 'seen' }),
      )
    for (let times = draw.below(3); times > 0; times--) await reveal(stage, requestId, draw)
    if (draw.chance(0.3))
      await client.ask<object>(draw, `reject ${requestId}`, (service) =>
        service.keyRequests.reject(staff, { requestId, reason: 'seen' }),
      )
  },
  async key_step({ client, cast, memory, truth }, _, draw) {
    const requestId = pick(draw, memory.requests)
    if (requestId === undefined) return
    const status = truth.rows(keyRequests).get(requestId)?.row.status
    const label = `step of ${requestId}`
    const roll = draw.below(10)
    const usual = status === 'submitted' ? 'approve' : 'execute'
    const step = roll === 0 ? 'reject' : usual
    if (roll === 1)
      await client.ask<object>(draw, label, (service) =>
        service.keyRequests.cancel(cast.admin, { requestId }),
      )
    else
      await client.ask<object>(draw, label, (service) =>
        service.keyRequests[step](staff, { requestId, reason: 'seen' }),
      )
  },
  async key_reveal(stage, _, draw) {
    const requestId = pick(draw, stage.memory.requests)
    if (requestId === undefined) return
    await reveal(stage, requestId, draw)
    if (draw.chance(0.5)) await reveal(stage, requestId, draw)
  },
  async evidence_rotate({ client, cast }, _, draw) {
    await client.ask(draw, 'rotate the evidence key', (service) =>
      service.signingKeys.rotate(cast.admin, { use: 'evidence' }),
    )
  },
}

async function reveal(stage: Stage, requestId: string, draw: SeededRandom): Promise<void> {
  const { client, cast, memory, world } = stage
  const heard = await client.ask(draw, `reveal ${requestId}`, (service) =>
    service.keyRequests.reveal(cast.admin, { requestId }),
  )
  if (heard.kind !== 'ok') return
  const { keyId, value } = heard.value
  if (memory.revealed.has(requestId))
    world.broken('a value is shown once', `the value of ${requestId} is shown again`)
  memory.revealed.add(requestId)
  memory.keys.set(keyId, value)
  if (!stage.issued.has(keyId))
    world.broken('acknowledged is kept', `${keyId} was told as issued, not committed`)
}

/** What was revoked before a request began lets nobody in, and what was not does. */
async function useKey(stage: Stage, keyId: string, draw: SeededRandom): Promise<void> {
  const { client, memory, world } = stage
  const secret = memory.keys.get(keyId)?.split('.').at(-1) ?? ''
  let before = false
  const heard = await client.ask(draw, `use ${keyId}`, (service) => {
    before = isActive(stage, keyId)
    return service.access.authenticateCustomerKey(secret)
  })
  if (heard.kind === 'ok' && !before)
    world.broken('a revoked key opens nothing', `${keyId} was revoked before it was used`)
  if (heard.kind === 'refused' && before && isActive(stage, keyId))
    world.broken('acknowledged is kept', `${keyId} is active, and refused`)
}

/** At the end every key that was ever shown lets in whom it should. */
export async function useKeys(stage: Stage, draw: SeededRandom): Promise<void> {
  for (const keyId of stage.memory.keys.keys()) await useKey(stage, keyId, draw)
}
