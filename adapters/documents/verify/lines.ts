import type { Finding } from '@countersign/core/evidence'

/** Checks a member of a pack that is a list of lines or rows, while it is read. */
export interface LinesCheck {
  take(piece: Uint8Array): void
  end(): readonly Finding[]
}
