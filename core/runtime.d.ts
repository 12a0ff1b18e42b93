// What every runtime that the core targets offers (Node, Deno, Bun, workers) and the ES library does not name.
interface String {
  isWellFormed(): boolean
}
declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>
  encodeInto(text: string, into: Uint8Array): { readonly read: number; readonly written: number }
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes: Uint8Array, options?: { stream?: boolean }): string
}
declare class URL {
  constructor(url: string)
  static canParse(url: string): boolean
  readonly origin: string
  readonly protocol: string
  readonly hostname: string
  readonly port: string
  readonly pathname: string
  readonly search: string
}
