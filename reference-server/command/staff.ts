import type { StaffActor, SystemActor } from '@countersign/core'
import { type Arguments, UsageError } from './subcommand.ts'

/** Who acts, for commands that staff uses. */
export const staffOption = { as: { type: 'string' } } as const

/** The actor that `--as` names, else the system. */
export function staffActor({ as: name }: Arguments['values']): StaffActor | SystemActor {
  if (name === undefined) return { kind: 'system' }
  if (typeof name === 'string' && /^[\w-]{1,100}$/.test(name)) return { kind: 'staff', name }
  throw new UsageError(`expected in --as 1 to 100 of A-Z a-z 0-9 _ -, got ${JSON.stringify(name)}`)
}
