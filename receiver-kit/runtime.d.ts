// Globals of every supported runtime (Node, Deno, Bun, Workers) that the ES library does not declare.
// Declared here so that neither the kit nor its users need DOM or Node types.
declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes: Uint8Array): string
}
interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>
  cancel(reason?: unknown): Promise<void>
}
declare class Request {
  constructor(url: string, init?: object)
  readonly method: string
  readonly url: string
  readonly headers: { get(name: string): string | null }
  readonly body: { readonly locked: boolean; getReader(): BodyReader } | null
  readonly bodyUsed: boolean
}
declare class Response {
  constructor(body: string | null, init?: object)
  readonly status: number
  readonly ok: boolean
  readonly headers: { get(name: string): string | null }
  json(): Promise<unknown>
}
declare function fetch(url: string, init?: object): Promise<Response>
declare function setTimeout(call: () => void, ms: number): unknown
declare function clearTimeout(timer: unknown): void
declare function atob(text: string): string
declare const performance: { now(): number }
declare const console: { warn(...data: unknown[]): void }
interface SubtleKey {
  readonly type: string
}
declare const crypto: {
  readonly subtle: {
    importKey(
      format: 'jwk',
      key: object,
      algorithm: object,
      extractable: boolean,
      usages: 'verify'[],
    ): Promise<SubtleKey>
    verify(
      algorithm: object,
      key: SubtleKey,
      signature: Uint8Array<ArrayBuffer>,
      signed: Uint8Array<ArrayBuffer>,
    ): Promise<boolean>
  }
}
