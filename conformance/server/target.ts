/** The service under test, as its customer knows it, and what it may be asked to do. */
export interface ServerTarget {
  readonly ingest: string
  readonly portal: string
  /** PEM of the authority of both hosts; the system's unless given. */
  readonly ca?: string
  readonly applicationId: string
  /** `svc_app_…`. */
  readonly applicationKey: string
  /** A customer key of the application that may ingest, whole: without one, no ingest is judged. */
  readonly customerKey?: string
  /** A CustomerAdmin, who reviews too. */
  readonly admin: Login
  /** A member with `Review Cases` who is no CustomerAdmin. */
  readonly reviewer: Login
  /** A CustomerAdmin of another organization: without one, nothing is said of tenants. */
  readonly stranger?: Login
  /** The host of the deployment's staff, and a token that opens it: without it, nothing of staff is judged. */
  readonly staff?: StaffHost
  /** Where the suite takes deliveries: without it, none is judged. */
  readonly sink?: SinkSettings
  /** The port of a clock that can be moved (`POST ?advance=MS`): without it, nothing that takes time is judged. */
  readonly clock?: string
}

/** Credentials of a member. */
export interface Login {
  readonly email: string
  readonly password: string
}

/** The staff host, as the suite reaches it. */
export interface StaffHost {
  readonly url: string
  readonly token: string
  /** The name of another one of staff, who vouches for a deletion (default `colleague`). */
  readonly colleague?: string
}

/** An https endpoint of the suite's own, to which the server delivers. */
export interface SinkSettings {
  /** As the server reaches it, such as `https://localhost:9443`. */
  readonly url: string
  readonly port: number
  /** PEM, of an authority that the server's deliveries trust; for the reference server, its own key and certificate. */
  readonly key: string
  readonly cert: string
}

/** What a check needs beside the server; without it the check is not judged. */
export type Need = 'sink' | 'clock' | 'stranger' | 'customerKey' | 'staff'

/** What each need is called to whoever runs the suite. */
export const needNames: Readonly<Record<Need, string>> = {
  sink: 'a sink (--sink-url, --sink-key, --sink-cert)',
  clock: 'a clock that can be moved (--clock)',
  stranger: 'an admin of another organization (--stranger)',
  customerKey: 'a customer key that may ingest (--customer-key)',
  staff: 'the staff host (--staff, --staff-token)',
}
