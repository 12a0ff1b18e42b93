import { shownIn } from './present-call.ts'
import type { Edit, EditedCall, ToolCall } from './tool-call.ts'
import type { CallVerdict } from './verdict.ts'

type Members = Readonly<Record<string, unknown>>

/**
 * The call that a reviewer proposes: the members of their response in the place of the arguments of the same names.
 * Null where the verdict is no proposal, or its response is not what `respond.schema` asked for.
 */
export function editOf(
  call: ToolCall & { readonly edit?: Edit },
  { code, outcome, review }: CallVerdict,
): EditedCall | null {
  if (code !== 'response_submitted' || !outcome || !review) return null
  const { input, edit } = call
  const { response, reviewCaseId, presentationDigest } = outcome
  const { respond } = shownIn(review)
  if (!isObject(input) || !isObject(response) || !isObject(respond)) return null
  if (!fits(response, respond.schema)) return null
  const supersedes = { reviewCaseId, presentationDigest }
  return {
    ...call,
    input: { ...input, ...response },
    edit: { nth: (edit?.nth ?? 1) + 1, before: input, supersedes },
  }
}

/** Whether a response has members of a flat object's schema alone, and all that it requires. */
function fits(response: Members, schema: unknown): boolean {
  if (!isObject(schema) || !isObject(schema.properties)) return false
  const { properties, required } = schema
  const names = Object.keys(response)
  const isNamed = names.every(
    (name) => Object.hasOwn(properties, name) && isOf(response[name], properties[name]),
  )
  const isWhole =
    !Array.isArray(required) || required.every((name: string) => Object.hasOwn(response, name))
  return names.length > 0 && isNamed && isWhole
}

function isOf(value: unknown, schema: unknown): boolean {
  if (!isObject(schema)) return false
  if (Array.isArray(schema.enum)) return schema.enum.includes(value)
  if (typeof value !== 'number') return typeof value === schema.type
  const { type, minimum = value, maximum = value } = schema
  const isNumber = type === 'number' || (type === 'integer' && Number.isSafeInteger(value))
  return isNumber && value >= Number(minimum) && value <= Number(maximum)
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
