import { isObject } from './parts.ts'

/** One value that the application asks a reviewer for. */
export interface ResponseField {
  readonly name: string
  readonly label: string
  readonly hint: string | null
  readonly type: 'text' | 'number' | 'integer' | 'yes_no' | 'choice'
  readonly choices: readonly string[]
  readonly isRequired: boolean
  readonly initial: string
  readonly least: number | null
  readonly most: number | null
}

/** How a reviewer may respond: fields of a flat object; null: one text. */
export function responseFields(respond: unknown): readonly ResponseField[] | null {
  if (!isObject(respond) || !isObject(respond.schema)) return null
  const { properties, required } = respond.schema
  if (!isObject(properties)) return null
  const initial = isObject(respond.initial) ? respond.initial : {}
  const fields: ResponseField[] = []
  for (const [name, schema] of Object.entries(properties)) {
    const type = isObject(schema) ? typeOf(schema) : null
    // A form that lacks a field would send what nobody meant.
    if (!isObject(schema) || type === null) return null
    const set = Object.hasOwn(initial, name) ? initial[name] : schema.default
    fields.push({
      name,
      label: typeof schema.title === 'string' ? schema.title : name,
      hint: typeof schema.description === 'string' ? schema.description : null,
      type,
      choices: Array.isArray(schema.enum) ? schema.enum.map(String) : [],
      isRequired: Array.isArray(required) && required.includes(name),
      initial: set === undefined || set === null ? '' : String(set),
      least: typeof schema.minimum === 'number' ? schema.minimum : null,
      most: typeof schema.maximum === 'number' ? schema.maximum : null,
    })
  }
  return fields.length > 0 ? fields : null
}

function typeOf(schema: Readonly<Record<string, unknown>>): ResponseField['type'] | null {
  if (Array.isArray(schema.enum))
    return schema.enum.every((choice) => typeof choice === 'string') ? 'choice' : null
  switch (schema.type) {
    case 'string':
      return 'text'
    case 'number':
    case 'integer':
      return schema.type
    case 'boolean':
      return 'yes_no'
    default:
      return null
  }
}

/** What was entered, as the values that the schema asks for; and the fields that hold none of these. */
export interface ReadResponse {
  readonly value: Readonly<Record<string, string | number | boolean>>
  readonly faults: readonly string[]
}

export function readResponse(
  fields: readonly ResponseField[],
  entered: Readonly<Record<string, string>>,
): ReadResponse {
  const value: [string, string | number | boolean][] = []
  const faults: string[] = []
  for (const field of fields) {
    const text = Object.hasOwn(entered, field.name) ? (entered[field.name] ?? '') : field.initial
    if (text === '' && !field.isRequired) continue
    const read = readField(field, text)
    if (read === null) faults.push(field.name)
    else value.push([field.name, read])
  }
  return { value: Object.fromEntries(value), faults }
}

function readField(
  { type, choices, isRequired, least, most }: ResponseField,
  text: string,
): string | number | boolean | null {
  switch (type) {
    case 'text':
      return isRequired && text.trim() === '' ? null : text
    case 'choice':
      return choices.includes(text) ? text : null
    case 'yes_no':
      return text === 'true' ? true : text === 'false' ? false : null
    case 'number':
    case 'integer': {
      const number = text.trim() === '' ? Number.NaN : Number(text)
      const fits =
        Number.isFinite(number) && number >= (least ?? number) && number <= (most ?? number)
      return fits && (type === 'number' || Number.isSafeInteger(number)) ? number : null
    }
  }
}
