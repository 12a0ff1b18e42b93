import { actorName } from '../kernel/callers/actor.ts'
import { audit } from '../kernel/ledger/audit.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { commit, type Ledger, refusal, type UnitOfWork } from '../kernel/ledger/ledger.ts'
import { get, one, put } from '../kernel/ledger/reads.ts'
import { refuse } from '../kernel/ledger/refusal.ts'
import type { WorkHandler } from '../kernel/work/handler.ts'
import { schedule, workItems } from '../kernel/work/records.ts'
import { executeAs } from '../organizations/access/execute-as.ts'
import { formatPublicKey } from '../proof/signing/key-text.ts'
import { type IssuerKeys, ringOf } from './issuer-keys.ts'
import { type IssuerKeyRing, issuerKeyRings } from './records.ts'
import { nextTidy, tidy } from './ring.ts'
import type { KeyRotationView, KeyUseCases } from './use-cases.ts'

const kind = 'issuerKeyUpkeep'

/** Starts the rotation of the tenant's signing key; the clock does the rest. */
export function createKeyRotation(deps: {
  readonly ledger: Ledger
  readonly keys: Pick<IssuerKeys, 'rotated'>
}): Pick<KeyUseCases, 'rotateKeys'> {
  const { ledger, keys } = deps
  return {
    rotateKeys: (actor) =>
      executeAs<KeyRotationView>(ledger, actor, 'manageWebhooks', async (unit, member) => {
        const { tenantId } = member
        const [found, work] = await unit.read([ringOf(tenantId), get(workItems, [kind, tenantId])])
        const ring = one(issuerKeyRings, found)
        if (!ring) return refusal(refuse('not_found', 'nothing of this organization is signed yet'))
        const rotated = keys.rotated(unit, ring.row)
        if (!rotated.ok) return refusal(rotated)
        const due = nextTidy(rotated.value) ?? unit.now
        const item = { kind, ref: tenantId, tenantId, applicationId: null, due }
        const view = rotationView(rotated.value)
        return commit(
          {
            puts: [put(issuerKeyRings, rotated.value, ring), schedule(item, one(workItems, work))],
            appends: [
              audit(tenantId, {
                at: isoTime(unit.now),
                actor: actorName(member),
                action: 'issuer_key.rotation_started',
                subject: String(view.keyVersion),
                detail: { signsFrom: view.signsFrom },
              }),
            ],
          },
          view,
        )
      }),
  }
}

/** Wipes the seeds of keys that have signed their last, then forgets the keys; who signs follows from times alone. */
export const issuerKeyUpkeep: WorkHandler = {
  kind,
  async run(item, unit: UnitOfWork) {
    const [found] = await unit.read([ringOf(item.ref)])
    const ring = one(issuerKeyRings, found)
    if (!ring) return { next: null }
    const tidied = tidy(ring.row, unit.now)
    return { set: { puts: [put(issuerKeyRings, tidied, ring)] }, next: nextTidy(tidied) }
  },
}

function rotationView(ring: IssuerKeyRing): KeyRotationView {
  const [next, previous] = ring.keys.toReversed()
  if (!next || !previous) throw new Error('a rotation has two keys')
  return {
    keyVersion: next.version,
    publicKey: formatPublicKey(next.publicKey),
    signsFrom: isoTime(next.signsFrom),
    previousSignsUntil: isoTime(previous.signsUntil ?? next.signsFrom),
  }
}
