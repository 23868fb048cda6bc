// This file is auto-generated: node packages/admin-client/generate.ts

import type {
  ShowWaysData,
  ShowWaysResponse,
  SignInByLinkData,
  SignInByLinkResponse,
  MakeSignInLinkData,
  MakeSignInLinkResponse,
  SignInData,
  SignInResponse,
  ShowSessionData,
  ShowSessionResponse,
  SignOutData,
  SignOutResponse,
  ConfirmSessionData,
  ConfirmSessionResponse,
  ListSessionsData,
  ListSessionsResponse,
  EndSessionsData,
  EndSessionsResponse,
  EndSessionData,
  EndSessionResponse,
  ChangePasswordData,
  ChangePasswordResponse,
  StartSecondFactorData,
  StartSecondFactorResponse,
  RemoveSecondFactorData,
  RemoveSecondFactorResponse,
  EnableSecondFactorData,
  EnableSecondFactorResponse,
  RenewRecoveryCodesData,
  RenewRecoveryCodesResponse,
  AcceptInvitationData,
  AcceptInvitationResponse,
  AskForPasskeyData,
  AskForPasskeyResponse,
  SignInByPasskeyData,
  SignInByPasskeyResponse,
  ConfirmByPasskeyData,
  ConfirmByPasskeyResponse,
  ListPasskeysData,
  ListPasskeysResponse,
  AddPasskeyData,
  AddPasskeyResponse,
  AskForNewPasskeyData,
  AskForNewPasskeyResponse,
  NamePasskeyData,
  NamePasskeyResponse,
  RemovePasskeyData,
  RemovePasskeyResponse,
  ListPeopleData,
  ListPeopleResponse,
  InvitePersonData,
  InvitePersonResponse,
  WithdrawInvitationData,
  WithdrawInvitationResponse,
  ChangeRoleData,
  ChangeRoleResponse,
  RemovePersonData,
  RemovePersonResponse,
  ListOperatorsData,
  ListOperatorsResponse,
  InviteOperatorData,
  InviteOperatorResponse,
  WithdrawOperatorInvitationData,
  WithdrawOperatorInvitationResponse,
  RemoveOperatorData,
  RemoveOperatorResponse,
  ListTokensData,
  ListTokensResponse,
  CreateTokenData,
  CreateTokenResponse,
  RevokeTokenData,
  RevokeTokenResponse,
  ListDeploymentTokensData,
  ListDeploymentTokensResponse,
  CreateDeploymentTokenData,
  CreateDeploymentTokenResponse,
  RevokeDeploymentTokenData,
  RevokeDeploymentTokenResponse,
  ShowSecondPersonData,
  ShowSecondPersonResponse,
  SetSecondPersonData,
  SetSecondPersonResponse,
  ListTenantApprovalsData,
  ListTenantApprovalsResponse,
  ApproveInTenantData,
  ApproveInTenantResponse,
  DeclineInTenantData,
  DeclineInTenantResponse,
  ListApprovalsData,
  ListApprovalsResponse,
  ApproveData,
  ApproveResponse,
  DeclineData,
  DeclineResponse,
  ListTenantAuditData,
  ListTenantAuditResponse,
  ShowActorData,
  ShowActorResponse,
  ListAuditData,
  ListAuditResponse,
  CreateTenantData,
  CreateTenantResponse,
  ListTenantsData,
  ListTenantsResponse,
  ShowTenantData,
  ShowTenantResponse,
  ListAccessKeysData,
  ListAccessKeysResponse,
  IssueAccessKeyData,
  IssueAccessKeyResponse,
  RevokeAccessKeyData,
  RevokeAccessKeyResponse,
  RotateProductSecretData,
  RotateProductSecretResponse,
  SetAttributionModeData,
  SetAttributionModeResponse,
  SetLegacyRepeatHoursData,
  SetLegacyRepeatHoursResponse,
  SetEventsPerSecondData,
  SetEventsPerSecondResponse,
  SuspendTenantData,
  SuspendTenantResponse,
  ResumeTenantData,
  ResumeTenantResponse,
  RemoveTenantData,
  RemoveTenantResponse,
  SetDefaultCampaignData,
  SetDefaultCampaignResponse,
  ErasePersonData,
  ErasePersonResponse,
  ListCodesData,
  ListCodesResponse,
  IssueCodeData,
  IssueCodeResponse,
  DisableCodeData,
  DisableCodeResponse,
  EnableCodeData,
  EnableCodeResponse,
  CheckCampaignData,
  CheckCampaignResponse,
  ListCampaignsData,
  ListCampaignsResponse,
  ShowCampaignData,
  ShowCampaignResponse,
  PutCampaignData,
  PutCampaignResponse,
  ShowRevisionData,
  ShowRevisionResponse,
  TryEventData,
  TryEventResponse,
  RegisterDomainData,
  RegisterDomainResponse,
  ListDomainsData,
  ListDomainsResponse,
  ProveDomainData,
  ProveDomainResponse,
  TakeDomainOverData,
  TakeDomainOverResponse,
  RemoveDomainData,
  RemoveDomainResponse,
  ShowWidgetSettingsData,
  ShowWidgetSettingsResponse,
  ChangeWidgetSettingsData,
  ChangeWidgetSettingsResponse,
  CheckWidgetTokenData,
  CheckWidgetTokenResponse,
  ReleaseRewardData,
  ReleaseRewardResponse,
  WithholdRewardData,
  WithholdRewardResponse,
  CountToReleaseData,
  CountToReleaseResponse,
  ReleaseReviewedRewardsData,
  ReleaseReviewedRewardsResponse,
  CountToWithholdData,
  CountToWithholdResponse,
  WithholdRewardsData,
  WithholdRewardsResponse,
  ShowWebhookData,
  ShowWebhookResponse,
  SetWebhookData,
  SetWebhookResponse,
  TestWebhookData,
  TestWebhookResponse,
  PauseWebhookData,
  PauseWebhookResponse,
  ResumeWebhookData,
  ResumeWebhookResponse,
  DisableWebhookData,
  DisableWebhookResponse,
  RotateWebhookData,
  RotateWebhookResponse,
  RecoverDeliveriesData,
  RecoverDeliveriesResponse,
  ListDeliveriesData,
  ListDeliveriesResponse,
  CountDeliveriesData,
  CountDeliveriesResponse,
  CountToResendData,
  CountToResendResponse,
  ResendDeliveriesData,
  ResendDeliveriesResponse,
  ShowDeliveryData,
  ShowDeliveryResponse,
  ResendDeliveryData,
  ResendDeliveryResponse,
  ConnectProcessorData,
  ConnectProcessorResponse,
  ListConnectionsData,
  ListConnectionsResponse,
  ShowConnectionData,
  ShowConnectionResponse,
  CheckConnectionData,
  CheckConnectionResponse,
  RotateConnectionData,
  RotateConnectionResponse,
  RepairConnectionData,
  RepairConnectionResponse,
  DisconnectProcessorData,
  DisconnectProcessorResponse,
  ReconcileConnectionData,
  ReconcileConnectionResponse,
  ListItemsData,
  ListItemsResponse,
  CountItemsData,
  CountItemsResponse,
  RetryItemsData,
  RetryItemsResponse,
  ShowItemData,
  ShowItemResponse,
  RetryItemData,
  RetryItemResponse,
  ListDeadLettersData,
  ListDeadLettersResponse,
  CountDeadLettersData,
  CountDeadLettersResponse,
  ShowDeadLetterData,
  ShowDeadLetterResponse,
  RedriveDeadLetterData,
  RedriveDeadLetterResponse,
  DiscardDeadLetterData,
  DiscardDeadLetterResponse,
  ListKeysData,
  ListKeysResponse,
  ResealSecretsData,
  ResealSecretsResponse,
  StartVerificationData,
  StartVerificationResponse,
  ListJobsData,
  ListJobsResponse,
  ShowJobData,
  ShowJobResponse,
  CancelJobData,
  CancelJobResponse,
  StartPreviewData,
  StartPreviewResponse,
  ShowPreviewData,
  ShowPreviewResponse,
  ListChangesData,
  ListChangesResponse,
  CommitPreviewData,
  CommitPreviewResponse,
  ListGenerationsData,
  ListGenerationsResponse,
  StartRebuildData,
  StartRebuildResponse,
  StartRollbackData,
  StartRollbackResponse,
  StartSwapData,
  StartSwapResponse,
  StartDropData,
  StartDropResponse,
  CountEventsData,
  CountEventsResponse,
  CountRewardsData,
  CountRewardsResponse,
  CountIssuancesData,
  CountIssuancesResponse,
  ReadSeriesData,
  ReadSeriesResponse,
  ListUsersData,
  ListUsersResponse,
  ListEventsData,
  ListEventsResponse,
  ListRewardsData,
  ListRewardsResponse,
  ListIssuancesData,
  ListIssuancesResponse,
  ReadTimelineData,
  ReadTimelineResponse,
  SearchData,
  SearchResponse,
  ExplainData,
  ExplainResponse,
  ExplainAnywhereData,
  ExplainAnywhereResponse,
  ShowRecipientBalanceData,
  ShowRecipientBalanceResponse,
  ShowCampaignBalanceData,
  ShowCampaignBalanceResponse,
  ShowEventData,
  ShowEventResponse,
  ListDecisionVersionsData,
  ListDecisionVersionsResponse,
  ListRewardVersionsData,
  ListRewardVersionsResponse,
  ListPostingsData,
  ListPostingsResponse,
  ListStatementsData,
  ListStatementsResponse,
  ShowStatementData,
  ShowStatementResponse,
  FollowChangesData,
  FollowChangesResponse,
  ListRefusedRequestsData,
  ListRefusedRequestsResponse,
  ShowHealthData,
  ShowHealthResponse,
} from './types.gen.ts';

/** Method and path of each route, by its name. */
export const routes = {
  showWays: ['GET', '/api/session/ways'],
  signInByLink: ['POST', '/api/session/link'],
  makeSignInLink: ['POST', '/api/sign-in-links'],
  signIn: ['POST', '/api/session'],
  showSession: ['GET', '/api/session'],
  signOut: ['DELETE', '/api/session'],
  confirmSession: ['POST', '/api/session/confirm'],
  listSessions: ['GET', '/api/sessions'],
  endSessions: ['DELETE', '/api/sessions'],
  endSession: ['DELETE', '/api/sessions/{sessionId}'],
  changePassword: ['PUT', '/api/account/password'],
  startSecondFactor: ['POST', '/api/account/second-factor'],
  removeSecondFactor: ['DELETE', '/api/account/second-factor'],
  enableSecondFactor: ['POST', '/api/account/second-factor/confirm'],
  renewRecoveryCodes: ['POST', '/api/account/recovery-codes'],
  acceptInvitation: ['POST', '/api/invitation'],
  askForPasskey: ['POST', '/api/session/passkey/options'],
  signInByPasskey: ['POST', '/api/session/passkey'],
  confirmByPasskey: ['POST', '/api/session/passkey/confirm'],
  listPasskeys: ['GET', '/api/account/passkeys'],
  addPasskey: ['POST', '/api/account/passkeys'],
  askForNewPasskey: ['POST', '/api/account/passkeys/options'],
  namePasskey: ['PUT', '/api/account/passkeys/{passkeyId}'],
  removePasskey: ['DELETE', '/api/account/passkeys/{passkeyId}'],
  listPeople: ['GET', '/api/tenants/{tenantId}/people'],
  invitePerson: ['POST', '/api/tenants/{tenantId}/people/invitations'],
  withdrawInvitation: ['DELETE', '/api/tenants/{tenantId}/people/invitations/{invitationId}'],
  changeRole: ['PUT', '/api/tenants/{tenantId}/people/{accountId}/role'],
  removePerson: ['DELETE', '/api/tenants/{tenantId}/people/{accountId}'],
  listOperators: ['GET', '/api/operators'],
  inviteOperator: ['POST', '/api/operators/invitations'],
  withdrawOperatorInvitation: ['DELETE', '/api/operators/invitations/{invitationId}'],
  removeOperator: ['DELETE', '/api/operators/{accountId}'],
  listTokens: ['GET', '/api/tenants/{tenantId}/tokens'],
  createToken: ['POST', '/api/tenants/{tenantId}/tokens'],
  revokeToken: ['DELETE', '/api/tenants/{tenantId}/tokens/{tokenId}'],
  listDeploymentTokens: ['GET', '/api/tokens'],
  createDeploymentToken: ['POST', '/api/tokens'],
  revokeDeploymentToken: ['DELETE', '/api/tokens/{tokenId}'],
  showSecondPerson: ['GET', '/api/tenants/{tenantId}/second-person'],
  setSecondPerson: ['PUT', '/api/tenants/{tenantId}/second-person'],
  listTenantApprovals: ['GET', '/api/tenants/{tenantId}/approvals'],
  approveInTenant: ['POST', '/api/tenants/{tenantId}/approvals/{approvalId}/approve'],
  declineInTenant: ['DELETE', '/api/tenants/{tenantId}/approvals/{approvalId}'],
  listApprovals: ['GET', '/api/approvals'],
  approve: ['POST', '/api/approvals/{approvalId}/approve'],
  decline: ['DELETE', '/api/approvals/{approvalId}'],
  listTenantAudit: ['GET', '/api/tenants/{tenantId}/audit'],
  showActor: ['GET', '/api/tenants/{tenantId}/actors/{actor}'],
  listAudit: ['GET', '/api/audit'],
  createTenant: ['POST', '/api/tenants'],
  listTenants: ['GET', '/api/tenants'],
  showTenant: ['GET', '/api/tenants/{tenantId}'],
  listAccessKeys: ['GET', '/api/tenants/{tenantId}/access-keys'],
  issueAccessKey: ['POST', '/api/tenants/{tenantId}/access-keys'],
  revokeAccessKey: ['DELETE', '/api/tenants/{tenantId}/access-keys/{accessKeyId}'],
  rotateProductSecret: ['POST', '/api/tenants/{tenantId}/product-secret'],
  setAttributionMode: ['PUT', '/api/tenants/{tenantId}/attribution-mode'],
  setLegacyRepeatHours: ['PUT', '/api/tenants/{tenantId}/legacy-repeat-hours'],
  setEventsPerSecond: ['PUT', '/api/tenants/{tenantId}/events-per-second'],
  suspendTenant: ['POST', '/api/tenants/{tenantId}/suspend'],
  resumeTenant: ['POST', '/api/tenants/{tenantId}/resume'],
  removeTenant: ['POST', '/api/tenants/{tenantId}/remove'],
  setDefaultCampaign: ['PUT', '/api/tenants/{tenantId}/default-campaign'],
  erasePerson: ['POST', '/api/tenants/{tenantId}/people/erase'],
  listCodes: ['GET', '/api/tenants/{tenantId}/codes'],
  issueCode: ['POST', '/api/tenants/{tenantId}/codes'],
  disableCode: ['POST', '/api/tenants/{tenantId}/codes/disable'],
  enableCode: ['POST', '/api/tenants/{tenantId}/codes/enable'],
  checkCampaign: ['POST', '/api/campaign-check'],
  listCampaigns: ['GET', '/api/tenants/{tenantId}/campaigns'],
  showCampaign: ['GET', '/api/tenants/{tenantId}/campaigns/{campaignId}'],
  putCampaign: ['PUT', '/api/tenants/{tenantId}/campaigns/{campaignId}'],
  showRevision: ['GET', '/api/tenants/{tenantId}/campaigns/{campaignId}/revisions/{revision}'],
  tryEvent: ['POST', '/api/tenants/{tenantId}/campaigns/{campaignId}/try'],
  registerDomain: ['POST', '/api/tenants/{tenantId}/domains'],
  listDomains: ['GET', '/api/tenants/{tenantId}/domains'],
  proveDomain: ['POST', '/api/tenants/{tenantId}/domains/{domain}/prove'],
  takeDomainOver: ['POST', '/api/tenants/{tenantId}/domains/{domain}/take-over'],
  removeDomain: ['DELETE', '/api/tenants/{tenantId}/domains/{domain}'],
  showWidgetSettings: ['GET', '/api/tenants/{tenantId}/widget'],
  changeWidgetSettings: ['PUT', '/api/tenants/{tenantId}/widget'],
  checkWidgetToken: ['POST', '/api/tenants/{tenantId}/widget/check-token'],
  releaseReward: ['POST', '/api/tenants/{tenantId}/rewards/{rewardId}/release'],
  withholdReward: ['POST', '/api/tenants/{tenantId}/rewards/{rewardId}/withhold'],
  countToRelease: ['GET', '/api/tenants/{tenantId}/rewards/release'],
  releaseReviewedRewards: ['POST', '/api/tenants/{tenantId}/rewards/release'],
  countToWithhold: ['GET', '/api/tenants/{tenantId}/rewards/withhold'],
  withholdRewards: ['POST', '/api/tenants/{tenantId}/rewards/withhold'],
  showWebhook: ['GET', '/api/tenants/{tenantId}/webhook'],
  setWebhook: ['PUT', '/api/tenants/{tenantId}/webhook'],
  testWebhook: ['POST', '/api/tenants/{tenantId}/webhook/test'],
  pauseWebhook: ['POST', '/api/tenants/{tenantId}/webhook/pause'],
  resumeWebhook: ['POST', '/api/tenants/{tenantId}/webhook/resume'],
  disableWebhook: ['POST', '/api/tenants/{tenantId}/webhook/disable'],
  rotateWebhook: ['POST', '/api/tenants/{tenantId}/webhook/rotate'],
  recoverDeliveries: ['POST', '/api/tenants/{tenantId}/webhook/recover'],
  listDeliveries: ['GET', '/api/tenants/{tenantId}/deliveries'],
  countDeliveries: ['GET', '/api/tenants/{tenantId}/deliveries/counts'],
  countToResend: ['GET', '/api/tenants/{tenantId}/deliveries/resend'],
  resendDeliveries: ['POST', '/api/tenants/{tenantId}/deliveries/resend'],
  showDelivery: ['GET', '/api/tenants/{tenantId}/deliveries/{eventId}'],
  resendDelivery: ['POST', '/api/tenants/{tenantId}/deliveries/{eventId}/resend'],
  connectProcessor: ['POST', '/api/tenants/{tenantId}/processor-connections'],
  listConnections: ['GET', '/api/tenants/{tenantId}/processor-connections'],
  showConnection: ['GET', '/api/tenants/{tenantId}/processor-connections/{connectionId}'],
  checkConnection: ['POST', '/api/tenants/{tenantId}/processor-connections/{connectionId}/check'],
  rotateConnection: ['POST', '/api/tenants/{tenantId}/processor-connections/{connectionId}/rotate'],
  repairConnection: ['POST', '/api/tenants/{tenantId}/processor-connections/{connectionId}/repair'],
  disconnectProcessor: ['POST', '/api/tenants/{tenantId}/processor-connections/{connectionId}/disconnect'],
  reconcileConnection: ['POST', '/api/tenants/{tenantId}/processor-connections/{connectionId}/reconcile'],
  listItems: ['GET', '/api/tenants/{tenantId}/processor-items'],
  countItems: ['GET', '/api/tenants/{tenantId}/processor-items/counts'],
  retryItems: ['POST', '/api/tenants/{tenantId}/processor-items/retry'],
  showItem: ['GET', '/api/tenants/{tenantId}/processor-items/{itemId}'],
  retryItem: ['POST', '/api/tenants/{tenantId}/processor-items/{itemId}/retry'],
  listDeadLetters: ['GET', '/api/dead-letters'],
  countDeadLetters: ['GET', '/api/dead-letters/counts'],
  showDeadLetter: ['GET', '/api/dead-letters/{itemId}'],
  redriveDeadLetter: ['POST', '/api/dead-letters/{itemId}/redrive'],
  discardDeadLetter: ['POST', '/api/dead-letters/{itemId}/discard'],
  listKeys: ['GET', '/api/keys'],
  resealSecrets: ['POST', '/api/keys/reseal'],
  startVerification: ['POST', '/api/replay/jobs'],
  listJobs: ['GET', '/api/replay/jobs'],
  showJob: ['GET', '/api/replay/jobs/{jobId}'],
  cancelJob: ['POST', '/api/replay/jobs/{jobId}/cancel'],
  startPreview: ['POST', '/api/replay/previews'],
  showPreview: ['GET', '/api/replay/previews/{previewId}'],
  listChanges: ['GET', '/api/replay/previews/{previewId}/changes'],
  commitPreview: ['POST', '/api/replay/previews/{previewId}/commit'],
  listGenerations: ['GET', '/api/replay/generations'],
  startRebuild: ['POST', '/api/replay/generations'],
  startRollback: ['POST', '/api/replay/generations/rollback'],
  startSwap: ['POST', '/api/replay/generations/{number}/swap'],
  startDrop: ['DELETE', '/api/replay/generations/{number}'],
  countEvents: ['GET', '/api/tenants/{tenantId}/events/counts'],
  countRewards: ['GET', '/api/tenants/{tenantId}/rewards/counts'],
  countIssuances: ['GET', '/api/tenants/{tenantId}/issuances/counts'],
  readSeries: ['GET', '/api/tenants/{tenantId}/series'],
  listUsers: ['GET', '/api/tenants/{tenantId}/users'],
  listEvents: ['GET', '/api/tenants/{tenantId}/events'],
  listRewards: ['GET', '/api/tenants/{tenantId}/rewards'],
  listIssuances: ['GET', '/api/tenants/{tenantId}/issuances'],
  readTimeline: ['GET', '/api/tenants/{tenantId}/timeline'],
  search: ['GET', '/api/tenants/{tenantId}/search'],
  explain: ['GET', '/api/tenants/{tenantId}/explain'],
  explainAnywhere: ['GET', '/api/explain'],
  showRecipientBalance: ['GET', '/api/tenants/{tenantId}/recipients/{recipientId}/balance'],
  showCampaignBalance: ['GET', '/api/tenants/{tenantId}/campaigns/{campaignId}/balance'],
  showEvent: ['GET', '/api/events/{eventId}'],
  listDecisionVersions: ['GET', '/api/tenants/{tenantId}/events/{eventId}/versions'],
  listRewardVersions: ['GET', '/api/tenants/{tenantId}/rewards/{rewardId}/versions'],
  listPostings: ['GET', '/api/tenants/{tenantId}/postings'],
  listStatements: ['GET', '/api/tenants/{tenantId}/recipients/{recipientId}/statements'],
  showStatement: ['GET', '/api/tenants/{tenantId}/recipients/{recipientId}/statements/{month}'],
  followChanges: ['GET', '/api/tenants/{tenantId}/changes'],
  listRefusedRequests: ['GET', '/api/tenants/{tenantId}/requests'],
  showHealth: ['GET', '/api/health'],
} as const;

/** What is asked of each route and what it answers. */
export type Operations = {
  showWays: { asked: ShowWaysData; answer: ShowWaysResponse };
  signInByLink: { asked: SignInByLinkData; answer: SignInByLinkResponse };
  makeSignInLink: { asked: MakeSignInLinkData; answer: MakeSignInLinkResponse };
  signIn: { asked: SignInData; answer: SignInResponse };
  showSession: { asked: ShowSessionData; answer: ShowSessionResponse };
  signOut: { asked: SignOutData; answer: SignOutResponse };
  confirmSession: { asked: ConfirmSessionData; answer: ConfirmSessionResponse };
  listSessions: { asked: ListSessionsData; answer: ListSessionsResponse };
  endSessions: { asked: EndSessionsData; answer: EndSessionsResponse };
  endSession: { asked: EndSessionData; answer: EndSessionResponse };
  changePassword: { asked: ChangePasswordData; answer: ChangePasswordResponse };
  startSecondFactor: { asked: StartSecondFactorData; answer: StartSecondFactorResponse };
  removeSecondFactor: { asked: RemoveSecondFactorData; answer: RemoveSecondFactorResponse };
  enableSecondFactor: { asked: EnableSecondFactorData; answer: EnableSecondFactorResponse };
  renewRecoveryCodes: { asked: RenewRecoveryCodesData; answer: RenewRecoveryCodesResponse };
  acceptInvitation: { asked: AcceptInvitationData; answer: AcceptInvitationResponse };
  askForPasskey: { asked: AskForPasskeyData; answer: AskForPasskeyResponse };
  signInByPasskey: { asked: SignInByPasskeyData; answer: SignInByPasskeyResponse };
  confirmByPasskey: { asked: ConfirmByPasskeyData; answer: ConfirmByPasskeyResponse };
  listPasskeys: { asked: ListPasskeysData; answer: ListPasskeysResponse };
  addPasskey: { asked: AddPasskeyData; answer: AddPasskeyResponse };
  askForNewPasskey: { asked: AskForNewPasskeyData; answer: AskForNewPasskeyResponse };
  namePasskey: { asked: NamePasskeyData; answer: NamePasskeyResponse };
  removePasskey: { asked: RemovePasskeyData; answer: RemovePasskeyResponse };
  listPeople: { asked: ListPeopleData; answer: ListPeopleResponse };
  invitePerson: { asked: InvitePersonData; answer: InvitePersonResponse };
  withdrawInvitation: { asked: WithdrawInvitationData; answer: WithdrawInvitationResponse };
  changeRole: { asked: ChangeRoleData; answer: ChangeRoleResponse };
  removePerson: { asked: RemovePersonData; answer: RemovePersonResponse };
  listOperators: { asked: ListOperatorsData; answer: ListOperatorsResponse };
  inviteOperator: { asked: InviteOperatorData; answer: InviteOperatorResponse };
  withdrawOperatorInvitation: { asked: WithdrawOperatorInvitationData; answer: WithdrawOperatorInvitationResponse };
  removeOperator: { asked: RemoveOperatorData; answer: RemoveOperatorResponse };
  listTokens: { asked: ListTokensData; answer: ListTokensResponse };
  createToken: { asked: CreateTokenData; answer: CreateTokenResponse };
  revokeToken: { asked: RevokeTokenData; answer: RevokeTokenResponse };
  listDeploymentTokens: { asked: ListDeploymentTokensData; answer: ListDeploymentTokensResponse };
  createDeploymentToken: { asked: CreateDeploymentTokenData; answer: CreateDeploymentTokenResponse };
  revokeDeploymentToken: { asked: RevokeDeploymentTokenData; answer: RevokeDeploymentTokenResponse };
  showSecondPerson: { asked: ShowSecondPersonData; answer: ShowSecondPersonResponse };
  setSecondPerson: { asked: SetSecondPersonData; answer: SetSecondPersonResponse };
  listTenantApprovals: { asked: ListTenantApprovalsData; answer: ListTenantApprovalsResponse };
  approveInTenant: { asked: ApproveInTenantData; answer: ApproveInTenantResponse };
  declineInTenant: { asked: DeclineInTenantData; answer: DeclineInTenantResponse };
  listApprovals: { asked: ListApprovalsData; answer: ListApprovalsResponse };
  approve: { asked: ApproveData; answer: ApproveResponse };
  decline: { asked: DeclineData; answer: DeclineResponse };
  listTenantAudit: { asked: ListTenantAuditData; answer: ListTenantAuditResponse };
  showActor: { asked: ShowActorData; answer: ShowActorResponse };
  listAudit: { asked: ListAuditData; answer: ListAuditResponse };
  createTenant: { asked: CreateTenantData; answer: CreateTenantResponse };
  listTenants: { asked: ListTenantsData; answer: ListTenantsResponse };
  showTenant: { asked: ShowTenantData; answer: ShowTenantResponse };
  listAccessKeys: { asked: ListAccessKeysData; answer: ListAccessKeysResponse };
  issueAccessKey: { asked: IssueAccessKeyData; answer: IssueAccessKeyResponse };
  revokeAccessKey: { asked: RevokeAccessKeyData; answer: RevokeAccessKeyResponse };
  rotateProductSecret: { asked: RotateProductSecretData; answer: RotateProductSecretResponse };
  setAttributionMode: { asked: SetAttributionModeData; answer: SetAttributionModeResponse };
  setLegacyRepeatHours: { asked: SetLegacyRepeatHoursData; answer: SetLegacyRepeatHoursResponse };
  setEventsPerSecond: { asked: SetEventsPerSecondData; answer: SetEventsPerSecondResponse };
  suspendTenant: { asked: SuspendTenantData; answer: SuspendTenantResponse };
  resumeTenant: { asked: ResumeTenantData; answer: ResumeTenantResponse };
  removeTenant: { asked: RemoveTenantData; answer: RemoveTenantResponse };
  setDefaultCampaign: { asked: SetDefaultCampaignData; answer: SetDefaultCampaignResponse };
  erasePerson: { asked: ErasePersonData; answer: ErasePersonResponse };
  listCodes: { asked: ListCodesData; answer: ListCodesResponse };
  issueCode: { asked: IssueCodeData; answer: IssueCodeResponse };
  disableCode: { asked: DisableCodeData; answer: DisableCodeResponse };
  enableCode: { asked: EnableCodeData; answer: EnableCodeResponse };
  checkCampaign: { asked: CheckCampaignData; answer: CheckCampaignResponse };
  listCampaigns: { asked: ListCampaignsData; answer: ListCampaignsResponse };
  showCampaign: { asked: ShowCampaignData; answer: ShowCampaignResponse };
  putCampaign: { asked: PutCampaignData; answer: PutCampaignResponse };
  showRevision: { asked: ShowRevisionData; answer: ShowRevisionResponse };
  tryEvent: { asked: TryEventData; answer: TryEventResponse };
  registerDomain: { asked: RegisterDomainData; answer: RegisterDomainResponse };
  listDomains: { asked: ListDomainsData; answer: ListDomainsResponse };
  proveDomain: { asked: ProveDomainData; answer: ProveDomainResponse };
  takeDomainOver: { asked: TakeDomainOverData; answer: TakeDomainOverResponse };
  removeDomain: { asked: RemoveDomainData; answer: RemoveDomainResponse };
  showWidgetSettings: { asked: ShowWidgetSettingsData; answer: ShowWidgetSettingsResponse };
  changeWidgetSettings: { asked: ChangeWidgetSettingsData; answer: ChangeWidgetSettingsResponse };
  checkWidgetToken: { asked: CheckWidgetTokenData; answer: CheckWidgetTokenResponse };
  releaseReward: { asked: ReleaseRewardData; answer: ReleaseRewardResponse };
  withholdReward: { asked: WithholdRewardData; answer: WithholdRewardResponse };
  countToRelease: { asked: CountToReleaseData; answer: CountToReleaseResponse };
  releaseReviewedRewards: { asked: ReleaseReviewedRewardsData; answer: ReleaseReviewedRewardsResponse };
  countToWithhold: { asked: CountToWithholdData; answer: CountToWithholdResponse };
  withholdRewards: { asked: WithholdRewardsData; answer: WithholdRewardsResponse };
  showWebhook: { asked: ShowWebhookData; answer: ShowWebhookResponse };
  setWebhook: { asked: SetWebhookData; answer: SetWebhookResponse };
  testWebhook: { asked: TestWebhookData; answer: TestWebhookResponse };
  pauseWebhook: { asked: PauseWebhookData; answer: PauseWebhookResponse };
  resumeWebhook: { asked: ResumeWebhookData; answer: ResumeWebhookResponse };
  disableWebhook: { asked: DisableWebhookData; answer: DisableWebhookResponse };
  rotateWebhook: { asked: RotateWebhookData; answer: RotateWebhookResponse };
  recoverDeliveries: { asked: RecoverDeliveriesData; answer: RecoverDeliveriesResponse };
  listDeliveries: { asked: ListDeliveriesData; answer: ListDeliveriesResponse };
  countDeliveries: { asked: CountDeliveriesData; answer: CountDeliveriesResponse };
  countToResend: { asked: CountToResendData; answer: CountToResendResponse };
  resendDeliveries: { asked: ResendDeliveriesData; answer: ResendDeliveriesResponse };
  showDelivery: { asked: ShowDeliveryData; answer: ShowDeliveryResponse };
  resendDelivery: { asked: ResendDeliveryData; answer: ResendDeliveryResponse };
  connectProcessor: { asked: ConnectProcessorData; answer: ConnectProcessorResponse };
  listConnections: { asked: ListConnectionsData; answer: ListConnectionsResponse };
  showConnection: { asked: ShowConnectionData; answer: ShowConnectionResponse };
  checkConnection: { asked: CheckConnectionData; answer: CheckConnectionResponse };
  rotateConnection: { asked: RotateConnectionData; answer: RotateConnectionResponse };
  repairConnection: { asked: RepairConnectionData; answer: RepairConnectionResponse };
  disconnectProcessor: { asked: DisconnectProcessorData; answer: DisconnectProcessorResponse };
  reconcileConnection: { asked: ReconcileConnectionData; answer: ReconcileConnectionResponse };
  listItems: { asked: ListItemsData; answer: ListItemsResponse };
  countItems: { asked: CountItemsData; answer: CountItemsResponse };
  retryItems: { asked: RetryItemsData; answer: RetryItemsResponse };
  showItem: { asked: ShowItemData; answer: ShowItemResponse };
  retryItem: { asked: RetryItemData; answer: RetryItemResponse };
  listDeadLetters: { asked: ListDeadLettersData; answer: ListDeadLettersResponse };
  countDeadLetters: { asked: CountDeadLettersData; answer: CountDeadLettersResponse };
  showDeadLetter: { asked: ShowDeadLetterData; answer: ShowDeadLetterResponse };
  redriveDeadLetter: { asked: RedriveDeadLetterData; answer: RedriveDeadLetterResponse };
  discardDeadLetter: { asked: DiscardDeadLetterData; answer: DiscardDeadLetterResponse };
  listKeys: { asked: ListKeysData; answer: ListKeysResponse };
  resealSecrets: { asked: ResealSecretsData; answer: ResealSecretsResponse };
  startVerification: { asked: StartVerificationData; answer: StartVerificationResponse };
  listJobs: { asked: ListJobsData; answer: ListJobsResponse };
  showJob: { asked: ShowJobData; answer: ShowJobResponse };
  cancelJob: { asked: CancelJobData; answer: CancelJobResponse };
  startPreview: { asked: StartPreviewData; answer: StartPreviewResponse };
  showPreview: { asked: ShowPreviewData; answer: ShowPreviewResponse };
  listChanges: { asked: ListChangesData; answer: ListChangesResponse };
  commitPreview: { asked: CommitPreviewData; answer: CommitPreviewResponse };
  listGenerations: { asked: ListGenerationsData; answer: ListGenerationsResponse };
  startRebuild: { asked: StartRebuildData; answer: StartRebuildResponse };
  startRollback: { asked: StartRollbackData; answer: StartRollbackResponse };
  startSwap: { asked: StartSwapData; answer: StartSwapResponse };
  startDrop: { asked: StartDropData; answer: StartDropResponse };
  countEvents: { asked: CountEventsData; answer: CountEventsResponse };
  countRewards: { asked: CountRewardsData; answer: CountRewardsResponse };
  countIssuances: { asked: CountIssuancesData; answer: CountIssuancesResponse };
  readSeries: { asked: ReadSeriesData; answer: ReadSeriesResponse };
  listUsers: { asked: ListUsersData; answer: ListUsersResponse };
  listEvents: { asked: ListEventsData; answer: ListEventsResponse };
  listRewards: { asked: ListRewardsData; answer: ListRewardsResponse };
  listIssuances: { asked: ListIssuancesData; answer: ListIssuancesResponse };
  readTimeline: { asked: ReadTimelineData; answer: ReadTimelineResponse };
  search: { asked: SearchData; answer: SearchResponse };
  explain: { asked: ExplainData; answer: ExplainResponse };
  explainAnywhere: { asked: ExplainAnywhereData; answer: ExplainAnywhereResponse };
  showRecipientBalance: { asked: ShowRecipientBalanceData; answer: ShowRecipientBalanceResponse };
  showCampaignBalance: { asked: ShowCampaignBalanceData; answer: ShowCampaignBalanceResponse };
  showEvent: { asked: ShowEventData; answer: ShowEventResponse };
  listDecisionVersions: { asked: ListDecisionVersionsData; answer: ListDecisionVersionsResponse };
  listRewardVersions: { asked: ListRewardVersionsData; answer: ListRewardVersionsResponse };
  listPostings: { asked: ListPostingsData; answer: ListPostingsResponse };
  listStatements: { asked: ListStatementsData; answer: ListStatementsResponse };
  showStatement: { asked: ShowStatementData; answer: ShowStatementResponse };
  followChanges: { asked: FollowChangesData; answer: FollowChangesResponse };
  listRefusedRequests: { asked: ListRefusedRequestsData; answer: ListRefusedRequestsResponse };
  showHealth: { asked: ShowHealthData; answer: ShowHealthResponse };
};
