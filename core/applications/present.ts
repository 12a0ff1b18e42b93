import { one } from '../kernel/ledger/reads.ts'
import { showAll } from '../kernel/members.ts'
import { Afterwards } from '../kernel/operation.ts'
import type { Lookup } from '../kernel/unit.ts'
import { type ApplicationHealth, applicationHealths, healthOf, shownHealth } from './health.ts'
import { type Application, type OutcomeCallback, stageOf } from './records.ts'
import {
  type ApplicationView,
  type OutcomeCallbackView,
  shownApplication,
  shownCallback,
  type TombstoneView,
  tombstone,
} from './view.ts'

/** `publicKey` is the tenant's; a callback under a shared secret shows none. */
export function applicationView(
  application: Application,
  publicKey: string | null,
  health: ApplicationHealth | null,
): ApplicationView {
  const { applicationId, lifecycleState, outcomeCallback } = application
  if (lifecycleState === 'purged')
    throw new TypeError(`${applicationId} is purged: expected an application that is not`)
  const { description = null, promotedAt = null, deletion = null, settings = null } = application
  return showAll(shownApplication, {
    ...application,
    description,
    promotedAt,
    deletion,
    settings,
    lifecycleState,
    purgedAt: null,
    stage: stageOf(application),
    health: shownHealth(application, health),
    outcomeCallback: outcomeCallback && shownOf(outcomeCallback, publicKey),
  })
}

/** What stays of a purged application. */
export function tombstoneView({ applicationId, purgedAt }: Application): TombstoneView {
  const nothing = {
    name: null,
    description: null,
    stage: null,
    version: null,
    createdAt: null,
    updatedAt: null,
    promotedAt: null,
    deletion: null,
    health: null,
    settings: null,
    outcomeCallback: null,
  }
  return showAll(tombstone, {
    ...nothing,
    applicationId,
    lifecycleState: 'purged',
    purgedAt: purgedAt ?? 0,
  })
}

/** `secret` is given only to the answer that made it. */
export function outcomeCallbackView(
  callback: OutcomeCallback,
  publicKey: string | null,
  secret: string | null = null,
): OutcomeCallbackView {
  return showAll(shownCallback, shownOf(callback, publicKey, secret))
}

function shownOf(
  { method, secret: sealed, previousSecret, ...callback }: OutcomeCallback,
  publicKey: string | null,
  secret: string | null = null,
) {
  const signing = {
    method,
    publicKey: method === 'ed25519' ? publicKey : null,
    hasSecret: sealed !== null,
    previousSecretValidUntil: previousSecret?.validUntil ?? null,
    ...(secret !== null && { secret }),
  }
  return { ...callback, signing }
}

/** The tenant's public signing key (`whpk_…`); makes its first where it has none. */
export interface PublicKeys {
  readonly publicKeyOf: (tenantId: string) => Promise<string>
}

type Looking = Pick<Lookup<never, never, PublicKeys>, 'read' | 'tools'>

/** The views of a tenant's applications, none of which is purged. */
export async function viewsOf(
  { read, tools }: Looking,
  tenantId: string,
  shown: readonly Application[],
): Promise<readonly ApplicationView[]> {
  const healths = await healthsOf(read, tenantId, shown)
  const publicKey = await publicKeyFor(tools, tenantId, shown)
  return shown.map((row, at) => applicationView(row, publicKey, healths[at] ?? null))
}

/** The view of an application that a command changed, with the key that its callback is signed with. */
export async function viewAfterwards(
  { read, tools }: Looking,
  row: Application,
): Promise<Afterwards<ApplicationView>> {
  const [health = null] = await healthsOf(read, row.tenantId, [row])
  return new Afterwards(async () =>
    applicationView(row, await publicKeyFor(tools, row.tenantId, [row]), health),
  )
}

/** The health of each application, null where none was judged. */
async function healthsOf(
  read: Looking['read'],
  tenantId: string,
  shown: readonly Application[],
): Promise<readonly (ApplicationHealth | null)[]> {
  const found = await read(shown.map(({ applicationId }) => healthOf(tenantId, applicationId)))
  return found.map((each) => one(applicationHealths, each)?.row ?? null)
}

/** Null without a callback that shows it: asking would create the tenant's first key, and a read must not write. */
async function publicKeyFor(
  { publicKeyOf }: PublicKeys,
  tenantId: string,
  shown: readonly Application[],
): Promise<string | null> {
  const signs = shown.some(({ outcomeCallback }) => outcomeCallback?.method === 'ed25519')
  return signs ? publicKeyOf(tenantId) : null
}
