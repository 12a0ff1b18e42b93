/** One POST to an endpoint outside; `headers` are complete but for those that the transport itself must set. */
export interface Exchange {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Ms for the whole exchange: name look-up, connect, TLS, request, status and headers. */
  readonly deadlineMs: number
  /** Bytes of the answer's body to keep; the rest is cut, and `truncated` says so. */
  readonly keepBytes: number
}

/** Why an exchange had no answer. */
export type ExchangeError =
  | 'timeout'
  | 'dns'
  | 'refused_address'
  | 'connect'
  | 'tls'
  | 'reset'
  | 'protocol'
  | 'aborted'

/** What a failure really was, for operators alone: no tenant may learn whether an internal name exists. */
export interface OperatorReason {
  readonly error: ExchangeError
  readonly detail: string
}

/** How an exchange ended: an answer with any status, or an error. */
export type ExchangeResult =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: Uint8Array
      readonly truncated: boolean
      readonly latencyMs: number
    }
  | {
      readonly kind: 'error'
      readonly error: ExchangeError
      /** For the delivery log; never shown to another tenant. */
      readonly detail: string
      readonly latencyMs: number
      readonly operators?: OperatorReason
    }

/** Sends and never follows a redirect; always resolves, a failure being an answer too. */
export interface Transport {
  post(exchange: Exchange): Promise<ExchangeResult>
}

/** Whether a URL may be sent to, decided without sending anything (registration of a URL). */
export interface EgressGuard {
  check(url: string): Promise<EgressVerdict>
}

/** Whether a URL may be called, and if not, why. */
export type EgressVerdict =
  | { readonly ok: true }
  | {
      readonly ok: false
      /**
       * `invalid_url`: not an https URL that we send to. `refused_address`: no address that may be sent to, for a name
       * that does not resolve as for one that leads inside.
       */
      readonly code: 'invalid_url' | 'refused_address'
      readonly detail: string
      readonly operators?: OperatorReason
    }
