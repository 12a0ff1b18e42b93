import { StoreError } from '../../base/errors/store-error.ts'
import type { ObservedEvents } from '../../base/ports/observed-events.ts'
import { PayloadError } from '../../content/vault/vault.ts'
import { RefusedError } from '../../kernel/ledger/refusal.ts'
import type { PackageDeps } from '../deps.ts'
import type { Printable } from '../outputs.ts'
import type { PackMember } from '../pack.ts'
import { failureText } from './broken-off.ts'

type Omitted = ObservedEvents['evidence.member_omitted']

/**
 * Why a part of an archive is left out whose making failed, for its manifest; the observer hears the error. Throws
 * the error again where it is not of this part alone: a store that failed, or a right that ended.
 */
export function omittedFor(
  { observer }: Pick<PackageDeps, 'observer'>,
  error: unknown,
  where: Omit<Omitted, 'error'>,
): string {
  if (error instanceof StoreError || error instanceof RefusedError) throw error
  observer.event('evidence.member_omitted', { ...where, error: failureText(error) })
  return error instanceof PayloadError ? error.code : 'not_readable'
}

/** A printed document as a member; omitted where the host prints nothing, or where its printing fails. */
export async function printedMember(
  { renderer, observer }: Pick<PackageDeps, 'renderer' | 'observer'>,
  { path, ...where }: { readonly path: string } & Pick<Omitted, 'tenantId' | 'packageId'>,
  printable: Printable,
): Promise<PackMember> {
  if (!renderer) return { path, omitted: 'not_printed' }
  try {
    const content = await renderer.pdf(printable)
    return { path, mediaType: 'application/pdf', content }
  } catch (error) {
    omittedFor({ observer }, error, { ...where, part: 'pdf' })
    return { path, omitted: 'not_printed' }
  }
}
