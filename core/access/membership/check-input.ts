import { wrong } from '../../ledger/input-errors.ts'
import type { FieldError } from '../../ledger/refusal.ts'
import { type Permission, permissions, type Role, roles } from '../actor.ts'

/** What is wrong with a role and the permissions granted beside it. */
export function checkRights(role: Role, granted: readonly Permission[]): readonly FieldError[] {
  const unknown = granted.findIndex((one) => !permissions.includes(one))
  return [
    ...(roles.includes(role) ? [] : [wrong('/role', `expected one of ${roles.join(', ')}`)]),
    ...(unknown < 0
      ? []
      : [wrong(`/permissions/${unknown}`, `expected one of ${permissions.join(', ')}`)]),
  ]
}
