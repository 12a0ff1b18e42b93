import { type EventType, selectableTypes } from '../events/catalogue.ts'
import { checkText } from '../ledger/check-text.ts'
import { checkEndpointUrl, urlFault } from '../ledger/endpoint-url.ts'
import { wrong } from '../ledger/input-errors.ts'
import { longest } from '../ledger/limits.ts'
import { type FieldError, ok, type Result, refuse } from '../ledger/refusal.ts'
import type { EgressGuard } from '../ports/transport.ts'
import { type SigningMembers, signingFaults } from './secrets/given-secret.ts'

type Selection = readonly (EventType | '*')[]

/** What a caller may say of a webhook, as far as it can be judged without the record. */
export interface Input extends SigningMembers {
  readonly url?: string
  readonly eventTypes?: readonly string[]
  readonly description?: string | null
}

/** The selection, where the input holds one. */
type Chosen<I extends Input> = I extends { readonly eventTypes: readonly string[] }
  ? Selection
  : Selection | undefined

/** Reports all errors of the input at once, then asks the egress guard about the URL. */
export async function checkInput<I extends Input>(
  input: I,
  egress: EgressGuard,
): Promise<Result<{ readonly eventTypes: Chosen<I> }>> {
  const { url, eventTypes, description } = input
  const unusableUrl = url === undefined ? null : urlFault(url)
  const errors = [
    ...(unusableUrl ? [unusableUrl] : []),
    ...(eventTypes ? eventTypeFaults(eventTypes) : []),
    ...(description ? checkText(description, '/description', longest.description) : []),
    ...signingFaults(input),
  ]
  const [first] = errors
  if (first)
    return refuse(
      errors.length === 1 && unusableUrl ? 'invalid_url' : 'invalid_request',
      `${first.pointer}: ${first.detail}`,
      { errors },
    )
  if (url !== undefined) {
    const leads = await checkEndpointUrl(url, egress)
    if (!leads.ok) return leads
  }
  return ok({ eventTypes: (eventTypes && selection(eventTypes)) as Chosen<I> })
}

function eventTypeFaults(types: readonly string[]): readonly FieldError[] {
  if (types.length === 0)
    return [wrong('/eventTypes', 'expected at least one event type, got none')]
  return types.flatMap((type, at) =>
    isSelectable(type)
      ? []
      : [
          wrong(
            `/eventTypes/${at}`,
            `expected "*" or an event type that can be selected, got ${JSON.stringify(type)}`,
          ),
        ],
  )
}

/** Without duplicates; `*` stands alone. */
function selection(types: readonly string[]): Selection {
  if (types.includes('*')) return ['*']
  return [...new Set(types)].filter(isSelectable)
}

export function isSelectable(type: string): type is EventType | '*' {
  return type === '*' || selectableTypes.some((one) => one === type)
}
