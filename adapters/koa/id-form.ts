import { longest } from '@countersign/core/ledger'

/** What our ids look like, and more; nothing else reaches the store. */
export const idForm = /^[\w-]{1,100}$/

/** Control characters, as `checkLine` of the core knows them; a class that any dialect of the description's readers has. */
const control = String.raw`\u0000-\u001f\u007f-\u009f`
/** Ids that applications choose are any line of text; a character may be two UTF-16 units. */
const ownIdForm = new RegExp(`^[^${control}]{1,${longest.id}}$`, 'u')
const ownIds: readonly string[] = ['sessionId', 'stepId', 'batchId']

/** What the values of a path's parameter look like. */
export function formOfId(parameter: string): RegExp {
  return ownIds.includes(parameter) ? ownIdForm : idForm
}

/** Whether a parameter's value can be an id. */
export function canBeId(parameter: string, value: string): boolean {
  return formOfId(parameter).test(value)
}
