import { ok, type Result, refuse } from '../ledger/refusal.ts'
import type { CallerSignal } from '../ports/secrets.ts'
import type { DocumentRenderer, Printable } from './outputs.ts'
import type { ExportedFile } from './use-cases.ts'

/** A document printed for a caller who waits for it. Refuses with `busy` where too many wait already. */
export async function printFile(
  renderer: DocumentRenderer,
  file: { readonly fileName: string; readonly printable: Printable },
  caller: CallerSignal | undefined,
): Promise<Result<ExportedFile>> {
  const bytes = await renderer.pdf(file.printable, caller ?? staying)
  return bytes
    ? ok({ fileName: file.fileName, bytes })
    : refuse('busy', 'too many documents wait to be printed at this moment', { retryAfter: 1 })
}

/** The refusal of a host that prints nothing. */
export function notPrinted(): Result<ExportedFile> {
  return refuse('unavailable', 'this deployment prints no documents: ask for JSON or CSV')
}

const staying: CallerSignal = { aborted: false }
