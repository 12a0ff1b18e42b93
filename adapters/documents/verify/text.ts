import {
  type EvidenceKeys,
  type Finding,
  kindOfDocument,
  verifyDocument,
} from '@countersign/core/evidence'
import { repeatedMember } from './repeated-member.ts'

/** The value of a JSON text or, with `lines`, of one on each line; undefined for any other text. */
function parse(text: string, lines: boolean): unknown {
  try {
    return lines
      ? text
          .split('\n')
          .filter((line) => line.trim() !== '')
          .map((line): unknown => JSON.parse(line))
      : JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Verifies the document that a text holds; no findings where it holds none that can be verified. `isCovered`: whether
 * the signature of a pack covers the text.
 */
export function verifyText(
  text: string,
  keys: EvidenceKeys,
  { lines, isCovered }: { readonly lines: boolean; readonly isCovered: boolean },
): readonly Finding[] {
  const document = parse(text, lines)
  if (kindOfDocument(document) === null) return []
  const repeated = repeatedMember(text)
  if (repeated !== null)
    return [
      {
        result: 'failed',
        check: 'form',
        about: 'document',
        detail: `An object has the member "${repeated}" twice: what a person reads need not be what was signed.`,
      },
    ]
  return verifyDocument(document, keys, { isCovered })
}
