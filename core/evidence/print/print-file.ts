import type { CallerSignal } from '../../base/ports/secrets.ts'
import { ok, type Result, refuse, unwrap } from '../../kernel/ledger/refusal.ts'
import type { ExportedFile } from '../exports.ts'
import type { DocumentRenderer, Printable } from '../outputs.ts'

/**
 * Prints a document for a caller who waits for it; `make` runs when its turn comes. Refuses with `busy` when too many
 * documents wait already, and with the refusals of `make`.
 */
export async function printFile(
  renderer: DocumentRenderer,
  file: { readonly fileName: string; readonly make: () => Promise<Result<Printable>> },
  caller: CallerSignal | undefined,
): Promise<Result<ExportedFile>> {
  let refused: Result<Printable> | null = null
  const make = async () => {
    const made = await file.make()
    if (!made.ok) refused = made
    return unwrap(made)
  }
  const bytes = await renderer.pdf(make, caller ?? staying).catch((error: unknown) => {
    if (refused) return null
    throw error
  })
  if (refused) return refused
  return bytes
    ? ok({ fileName: file.fileName, bytes })
    : refuse('busy', 'too many documents wait to be printed at this moment', { retryAfter: 1 })
}

/** The refusal of a host that prints nothing. */
export function notPrinted(): Result<ExportedFile> {
  return refuse('unavailable', 'this deployment prints no documents: ask for JSON or CSV')
}

const staying: CallerSignal = { aborted: false }
