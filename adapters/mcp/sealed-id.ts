import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonicalize } from '@countersign/core/canonical'

/** Makes ids of cases: a case's id, and a MAC over it and what it is of. */
export type Seal = (reviewCaseId: string, of: readonly unknown[]) => string

/** Creates what makes ids by this key of the MAC. Throws for one of fewer than 32 characters. */
export function sealing(secret: string): Seal {
  if (secret.length < 32) throw new RangeError('secret: expected at least 32 characters')
  return (reviewCaseId, of) => {
    const text = canonicalize([reviewCaseId, ...of])
    const mac = createHmac('sha256', secret).update(text).digest('base64url')
    return `${reviewCaseId}.${mac}`
  }
}

/** Whether two texts are the same; how long that takes says nothing of where they differ. */
export function isSameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
