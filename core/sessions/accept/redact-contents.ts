import type { Slices } from '../../base/json/in-slices.ts'
import type { Json } from '../../content/span.ts'
import { ingestLimits } from '../../kernel/ledger/limits.ts'
import type { Redactor, StepContents } from '../../policies/redaction/redact.ts'
import { fitContent, fitMembers } from '../otlp/fit-content.ts'
import { type IncomingStep, lengthOf } from './incoming.ts'
import type { JudgedStep } from './stored-step.ts'

/** JSON takes fewer bytes for each character that `lengthOf` counts. */
const mostBytesPerChar = 16

/**
 * The contents of a step as they are stored: redacted whole, then cut to their limits, since redaction finds no members
 * in JSON that was cut. Contents that are too large to be redacted are left out.
 */
export function* redactContents(
  redactor: Redactor,
  { facts, size, truncated }: Pick<IncomingStep, 'facts' | 'size' | 'truncated'>,
  slices: Slices,
): Generator<undefined, Pick<JudgedStep, 'contents' | 'redactions' | 'truncated'>> {
  const { type, input, output, attributes } = facts
  const given = { input, output, attributes }
  const isLarge = redactor.passes > 0 && size > ingestLimits.redactedContent
  const taken = isLarge ? redactable(given) : { contents: given, left: false }
  const { redactions, ...contents } = yield* redactor.step(type, taken.contents, slices)
  // Redaction may lengthen a content.
  const isSmall = redactions === 0 && size < ingestLimits.contentBytes / mostBytesPerChar
  if (isSmall) return { contents, redactions, truncated }
  if (slices.spend(size)) yield
  const fitted = fitContents(contents)
  return {
    contents: fitted.contents,
    redactions,
    truncated: truncated || taken.left || fitted.cut,
  }
}

/** The contents that are small enough to be redacted; of attributes the smallest. */
function redactable({ input, output, attributes }: StepContents): {
  readonly contents: StepContents
  readonly left: boolean
} {
  const isWithin = (content: unknown) => lengthOf(content) <= ingestLimits.redactedContent
  const smallest = Object.entries(attributes)
    .map(([name, value]) => ({ name, value, length: name.length + lengthOf(value) }))
    .toSorted((a, b) => a.length - b.length)
  let length = 0
  const kept = smallest.filter((each) => {
    length += each.length
    return length <= ingestLimits.redactedContent
  })
  const names = new Set(kept.map(({ name }) => name))
  return {
    contents: {
      input: isWithin(input) ? input : null,
      output: isWithin(output) ? output : null,
      attributes: Object.fromEntries(
        Object.entries(attributes).filter(([name]) => names.has(name)),
      ),
    },
    left: !isWithin(input) || !isWithin(output) || kept.length < smallest.length,
  }
}

function fitContents({ input, output, attributes }: StepContents): {
  readonly contents: StepContents
  readonly cut: boolean
} {
  const parts = [fitContent(input as Json), fitContent(output as Json)] as const
  const members = fitMembers(
    attributes as { readonly [name: string]: Json },
    ingestLimits.contentBytes,
  )
  return {
    contents: { input: parts[0].value, output: parts[1].value, attributes: members.value },
    cut: parts[0].cut || parts[1].cut || members.cut,
  }
}
