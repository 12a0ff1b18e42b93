import { jsonTokens } from './json-tokens.ts'

const number = /-?\d[\d.eE+-]*/
/** Numbers of so many digits at most have no other form. */
const sure = /^(?:0|-?[1-9]\d{0,14})$/

/**
 * The first text or number of a JSON text that its issuer, who writes as `JSON.stringify` does, would have written
 * otherwise (`1.0`, `"\u0061"`), else null: two readers may take such a one for two values. Spaces between are free.
 */
export function otherForm(text: string): string | null {
  for (const found of jsonTokens(text, number)) {
    if (found.startsWith('"')) {
      if (found.includes('\\') && JSON.stringify(JSON.parse(found)) !== found) return found
    } else if (!sure.test(found) && String(Number(found)) !== found) return found
  }
  return null
}
