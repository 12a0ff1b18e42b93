import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { SigningModel, Tenant } from '../access/records.ts'
import type { Authenticator, AuthenticatorUse } from './records.ts'

/** The AAGUID of authenticators that do not tell their model. */
export const noModel = '00000000-0000-0000-0000-000000000000'

/** Models whose authenticators sign decisions of an organization; empty: any. */
export function modelsOf({
  signingModels = [],
}: Pick<Tenant, 'signingModels'>): readonly SigningModel[] {
  return signingModels
}

/** Whether one list lets an authenticator sign that another refuses. */
export function widens(from: readonly SigningModel[], to: readonly SigningModel[]): boolean {
  if (from.length === 0) return false
  return to.length === 0 || to.some(({ aaguid }) => from.every((was) => was.aaguid !== aaguid))
}

/** How a browser is asked for the attestation of a new authenticator. */
export function conveyanceFor(
  models: readonly SigningModel[],
  use: AuthenticatorUse,
): 'none' | 'direct' {
  return use === 'signing' && models.length > 0 ? 'direct' : 'none'
}

/** Whether an authenticator may sign decisions: its attestation proves it to be of a model on the list. */
export function isOnList(
  models: readonly SigningModel[],
  { aaguid, attestedBy }: Pick<Authenticator, 'aaguid' | 'attestedBy'>,
): boolean {
  if (models.length === 0) return true
  // A row that says nothing of it proves nothing.
  return typeof attestedBy === 'string' && models.some((model) => model.aaguid === aaguid)
}

/** Refuses an authenticator that may not sign, and says why. */
export function maySign(
  models: readonly SigningModel[],
  authenticator: Pick<Authenticator, 'aaguid' | 'attestedBy'>,
): Result<null, 'authenticator_not_allowed'> {
  if (isOnList(models, authenticator)) return ok(null)
  const { aaguid, attestedBy } = authenticator
  const isProven = typeof attestedBy === 'string'
  const detail = isProven
    ? `expected an authenticator of a model on the organization's list, got ${aaguid}`
    : 'expected an attestation by the maker of the authenticator that leads to a root certificate of its model'
  return refuse('authenticator_not_allowed', detail, {
    facts: { check: isProven ? 'model' : 'attestation' },
  })
}
