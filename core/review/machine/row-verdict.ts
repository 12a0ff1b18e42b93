import { type Refusal, type RefusalCode, refuse } from '../../kernel/ledger/refusal.ts'
import type { CaseCommand } from './command.ts'
import type { Move } from './record-steps.ts'

/**
 * The verdict of a row of the transition table (interface, Transition table): steps to record (none for a repeat), or a
 * refusal. Numbers in the comments of transitions are rows of it.
 */
export type RowVerdict = { readonly moves: readonly Move[] } | { readonly refusal: Refusal }

export type Command<T extends CaseCommand['type']> = Extract<CaseCommand, { readonly type: T }>

export const nothing: RowVerdict = { moves: [] }

/** The verdict of one step. */
export function move(
  step: Move['step'],
  reason: Move['reason'],
  change: Move['change'],
): RowVerdict {
  return { moves: [{ step, reason, change }] }
}

export function no(code: RefusalCode, detail: string): RowVerdict {
  return { refusal: refuse(code, detail).refusal }
}

export const requesterDetail = 'who asked for the action may not review it'
