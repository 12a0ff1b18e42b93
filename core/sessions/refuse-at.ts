import { wrong } from '../kernel/ledger/input-errors.ts'
import { refuse } from '../kernel/ledger/refusal.ts'

/** Refuses a document for a value at a JSON pointer; the empty pointer names the whole. */
export function refuseAt(pointer: string, detail: string): ReturnType<typeof refuse> {
  return refuse('invalid_request', pointer === '' ? detail : `${pointer}: ${detail}`, {
    errors: [wrong(pointer, detail)],
  })
}
