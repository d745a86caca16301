"""Test names of tools: made from the operation id or the path, short, and independent of other operations."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.names import TOOL_NAME
from mcpgen.model import Decisions, Operation
from mcpgen.model.pins import NOTHING, Pin, Pins, Retired
from mcpgen.naming.tool_names import LONGEST, assign, derive
from mcpgen.read.openapi.paths import operation_key, parse

HERE = Where("f")


def operation(
    line: str, identifier: str | None = None, *, deprecated: bool = False, name: str | None = None
) -> Operation:
    method, path = line.split(" ", 1)
    key, template = operation_key(method, path), parse(path, HERE, Diagnostics())
    return Operation(
        key, method, path, template, HERE, id=identifier, deprecated=deprecated, decided=Decisions(name=name)
    )


@pytest.mark.parametrize(
    ("line", "identifier", "expected"),
    [
        # operation ids that people wrote
        ("GET /repos/{o}/branches/{b}", "repos/get-branch", "repos_get_branch"),
        ("GET /api/v1/pods", "listCoreV1NamespacedPod", "list_core_namespaced_pod_v1"),
        ("GET /pets/{petId}", "getPetById", "get_pet_by_id"),
        ("GET /pets", "find pets, by tags!", "find_pets_by_tags"),
        ("DELETE /chatkit/threads/{id}", "DeleteThreadMethod", "delete_thread"),
        ("POST /tags", "create_tag_endpoint_tags_post", "create_tag"),
        ("GET /\u2728/{id}/rooms", "GET_mc-id-rooms", "get_mc_id_rooms"),
        ("GET /payment-methods/{id}", "getPaymentMethod", "get_payment_method"),
        ("POST /webhook-endpoints", "createWebhookEndpoint", "create_webhook_endpoint"),
        ("GET /Reports/{id}", "getReportBASorGST", "get_report_bas_or_gst"),
        ("GET /marketing/lists/{id}/contacts/count", "GET_mc-lists-id-contacts-count", "get_mc_list_contacts_count"),
        # operation ids that are whole sentences
        ("GET /users/{id}/logs", "Get the list of logs of a user by id and return them.", "list_user_logs"),
        ("POST /teams/{team}/members", "Adds a new member to the team", "add_team_member"),
        ("GET /reports", "Get Monthly Payment Report Details", "get_monthly_payment_report_details"),
        # operation ids to which web frameworks add the path, the HTTP method or a class
        ("POST /api/v1/app/{a}/rotate", "rotate_secret_api_v1_app__a__rotate_post", "rotate_secret"),
        ("GET /items/{item_id}", "read_item_items__item_id__get", "read_item"),
        ("PATCH /events/2", "events__2_patch", "events_2_update"),
        ("GET /users", "UsersController_findAll", "users_find_all"),
        ("GET /rooms", "PropertyController_GetPropertiesRooms", "get_properties_rooms"),
        ("POST /benefits", "notifyBenefitUsingPOST", "notify_benefit"),
        ("POST /benefits", "notifyBenefitUsingPOST_2", "notify_benefit"),
        # operation ids that only repeat method and path
        ("GET /v1/accounts/{account}/capabilities", "GetAccountsAccountCapabilities", "list_account_capabilities"),
        ("POST /v1/application_fees/{id}/refund", "PostApplicationFeesIdRefund", "refund_application_fee"),
        ("GET /v1/charges", "GetCharges", "list_charges"),
        ("DELETE /v1/customers/{customer}", "DeleteCustomersCustomer", "delete_customer"),
        ("GET /rest/api/3/serverInfo", "getServerInfo", "get_server_info"),
        # operation ids with words that frameworks add, HTTP methods, or capital letters
        ("POST /v1/messages/batches", "beta_message_batches_post", "beta_message_batches_create"),
        (
            "PUT /addons/{k}/properties/{p}",
            "AddonResource.putProperty_put",
            "addon_replace_property",
        ),
        ("DELETE /module", "ModulesResource.removeModules_delete", "remove_modules"),
        ("GET /load_balancers/{id}", "loadBalancers_get", "load_balancers_get"),
        ("DELETE /load_balancers/{id}", "loadBalancers_delete", "load_balancers_delete"),
        ("POST /blog/posts", "create_blog_post", "create_blog_post"),
        ("POST /chat.postMessage", "chat_postMessage", "chat_post_message"),
        ("POST /actions", "action.POSTsubscribe", "action_subscribe"),
        ("POST /user/gpg_keys", "userCurrentPostGPGKey", "user_current_create_gpg_key"),
        ("PUT /user/{id}/star", "userCurrentPutStar", "user_current_star"),
        ("PUT /containers/{id}/archive", "PutContainerArchive", "set_container_archive"),
        ("POST /containers/{id}/archive", "PostContainerArchive", "archive_container"),
        ("POST /ads/{id}/toggle", "post_ad_toggle", "toggle_ad"),
        ("POST /ads/toggles", "post_ad_toggles", "create_ad_toggle"),
        ("GET /shop/ads", "get_shop_offers_list", "list_shop_offers"),
        ("GET /prices", "getPriceList", "get_price_list"),
        ("GET /texts", "getI18nTexts", "get_i18n_texts"),
        ("GET /texts", "fetch_x1_y_texts", "fetch_x1_y_texts"),
        ("PATCH /scopes/requests/{r}/approve", "PATCH_v3-scopes-requests-approve-id", "approve_scopes_request"),
        ("PATCH /marketing/fields/{field_id}", "PATCH_mc-fields-field_id", "update_mc_field"),
        ("GET /reserved_ipv6", "reservedIPv6_list", "reserved_ipv6_list"),
        ("POST /oauth2/register", "registerOAuth2Client", "register_oauth2_client"),
        ("GET /times", "times_95p", "times_95p"),
        ("GET /versions", "listVersionsv2", "list_versions_v2"),
        ("GET /x", "getClass-6VMVochwUWo", "get_class"),
        ("GET /users", "list_1", "list_users"),
        ("GET /users/2", "user_2", "user_2"),
        ("GET /organization/spend_limit", "getorganizationspendlimit", "get_organization_spend_limit"),
        ("GET /organization/spend", "getorganisationspend", "getorganisationspend"),
        ("PUT /actions/cache", "actions/set-actions-cache", "set_actions_cache"),
        ("PUT /actions/cache", "actions/set-allowed-actions", "actions_set_allowed_actions"),
        ("GET /copilot/usage", "copilot/copilot-usage", "copilot_usage"),
        # operation ids that the author chose, although path and method say something else
        ("POST /#X-Amz-Target=StarlingDoveService.DeleteConfigRule", "DeleteConfigRule", "delete_config_rule"),
        ("POST /#X-Amz-Target=StarlingDoveService.PutConfigRule", "PutConfigRule", "put_config_rule"),
        ("GET /#Action=TerminateInstances", "GET_TerminateInstances", "terminate_instances"),
        ("POST /#Action=TerminateInstances", None, "terminate_instances"),
        ("POST /getStoredQuery", "getStoredQuery", "get_stored_query"),
        ("GET /c/root_array", "get_root_array", "get_root_array"),
        (
            "POST /account/customer-recovery-is-expired",
            "getCustomerRecoveryIsExpired",
            "get_customer_recovery_is_expired",
        ),
        ("POST /accounts/{name}/listKeys", "StorageAccounts_ListKeys", "storage_accounts_list_keys"),
        # operation ids that hold their path, and segments without meaning
        ("POST /crm/objects/2026-09/{t}/search", "post-/crm/objects/2026-09/{t}/search_/crm/x", "search_crm_object"),
        (
            "POST /crm/objects/2026-09-beta/0-3/search",
            "post-/crm/objects/2026-09-beta/0-3/search_doSearch",
            "search_crm_objects",
        ),
        ("GET /hubdb/2026-03/tables/{id}", "get-/hubdb/2026-03/tables/{id}_getTableDetails", "get_table_details"),
        ("GET /blogs/2026-03/authors", "get-/blogs/2026-03/authors_getPage", "list_blogs_authors"),
        ("PATCH /hubdb/2026-03/rows", "patch-/hubdb/2026-03/rows_updateDraftTableRows", "update_draft_table_rows"),
        ("GET /crm/2026-03/objects/{id}", "get-/crm/2026-03/objects/{id}_getById", "get_crm_object_by_id"),
        ("DELETE /api/0/issues/{id}/", "Unlink an External Issue from an Issue", "unlink_issue"),
        # no preposition stays behind without its word
        ("DELETE /projects/{uuid}", "delete-project-by-uuid", "delete_project_by_uuid"),
        ("POST /indexes/{uid}/search", "search_with_post", "search_index"),
        ("GET /blocks/{id}", "retrieve-a-block", "retrieve_block"),
        ("GET /sys/loggers/{name}", "loggers-read-level-for", "loggers_read_level"),
        ("GET /replays/viewed-by", "listReplaysViewedBy", "list_replays_viewed_by"),
        ("POST /users/check-in", "checkIn", "check_in"),
        # an operationId that is only a verb gets a noun from the path; without a usable noun, the verb stays alone
        ("POST /projects/{id}/restore", "restore", "restore_project"),
        ("GET /statuses/search", "search", "search_statuses"),
        ("POST /q", "query", "query"),
        ("GET /search", "search", "search"),
        # operations without a usable id
        ("GET /search/movie", None, "search_movie"),
        ("POST /contacts/search/emails", None, "search_contacts_emails"),
        ("GET /clients/{id}/client-secret", None, "get_client_secret"),
        ("GET /client-scopes/{id}/scope-mappings", None, "list_client_scope_scope_mappings"),
        ("POST /offerings/{offeringId}/channels", None, "create_offering_channel"),
        ("GET /users", "get", "list_users"),
        ("GET /users/{id}", "x", "get_user"),
        ("PUT /users/{id}", None, "replace_user"),
        ("PUT /users/{id}/groups/{group}", None, "add_user_group"),
        ("PUT /users/{id}/avatar", None, "set_user_avatar"),
        ("POST /users/{id}", None, "update_user"),
        ("PATCH /users/{id}", None, "update_user"),
        ("DELETE /users/{id}", None, "delete_user"),
        ("HEAD /users/{id}", None, "check_user"),
        ("OPTIONS /users", None, "describe_users"),
        ("POST /servers/{id}:restart", None, "restart_server"),
        ("POST /orders/{id}/cancel", None, "cancel_order"),
        ("GET /orders/{id}/cancel", None, "get_order_cancel"),
        ("DELETE /issues/{id}/lock", None, "delete_issue_lock"),
        ("PUT /issues/{id}/lock", None, "lock_issue"),
        ("POST /actions/{id}/lower-priority", None, "lower_action_priority"),
        ("POST /readers/{r}/present_payment_method", None, "present_reader_payment_method"),
        ("POST /projects/{id}/merge_requests", None, "create_project_merge_request"),
        ("PUT /projects/{id}/merge_requests/{r}/merge", None, "merge_project_merge_request"),
        ("GET /charges/search", None, "search_charges"),
        ("GET /search", None, "search"),
        ("PUT /files/{id}#add_shared_link", None, "add_file_shared_link"),
        ("GET /shared_items#folders", None, "list_shared_items_folders"),
        ("GET /files/{id}/thumbnail.{extension}", None, "get_file_thumbnail"),
        ("GET /Calls/{Sid}.json", None, "get_call"),
        ("POST /v1/messages/count_tokens", "beta_messages_count_tokens_post", "beta_messages_count_tokens"),
        ("DELETE /users/{id}/email_aliases/{alias}", "delete_users_id_email_aliases_id", "delete_user_email_alias"),
        ("GET /companies", None, "list_companies"),
        ("GET /companies/{id}", None, "get_company"),
        ("GET /boxes/{id}", None, "get_box"),
        ("GET /movies/{id}", None, "get_movie"),
        ("GET /news", None, "get_news"),
        ("GET /status", None, "get_status"),
        ("GET /api/v2/1.0/things", None, "list_things"),
        ("GET /", None, "get_root"),
        ("GET /{id}", None, "get_id"),
        ("GET /2fa", None, "get_2fa"),
        # other scripts: an id without a Latin letter does not name the tool, unless the path says nothing
        ("GET /日本", None, "get_ri_ben"),
        ("GET /%E6%97%A5%E6%9C%AC", None, "get_ri_ben"),
        ("DELETE /用户/{编号}", "删除用户", "delete_yong_hu"),
        ("POST /users", "创建用户", "create_user"),
        ("POST /", "发送消息", "fa_song_xiao_xi"),
        ("POST /用户", "get用户列表", "get_yong_hu_lie_biao"),
        ("GET /straße/{id}", None, "get_strasse"),
        ("GET /%FF", None, "get_path_px4b"),
    ],
)
def test_derive(line: str, identifier: str | None, expected: str) -> None:
    assert derive(operation(line, identifier), "Petstore") == expected


@pytest.mark.parametrize(
    ("line", "summary", "expected"),
    [
        ("POST /folders/{id}", "Restore folder", "restore_folder"),
        ("POST /customers/{id}", "Updates a customer.", "update_customer"),
        ("POST /users/{id}/roles/{role}", "Applies a role", "apply_user_role"),
        ("PUT /tasks/{id}", "Update task", "update_task"),
        ("PUT /tasks/{id}", "Return the task", "replace_task"),
        ("POST /tokens", "Refresh the access token", "refresh_tokens"),
        ("POST /labels", "Void Label", "create_label"),
        ("POST /clients/{id}/push-revocation", "Push the revocation policy", "push_client_revocation"),
        ("POST /push-revocation", "Push the revocation policy", "push_revocation"),
        ("POST /rooms", "Search results", "create_room"),
        ("POST /rooms", "Search the rooms", "search_rooms"),
        ("GET /rooms", "Search rooms", "search_rooms"),
        ("GET /rooms", "Delete rooms", "list_rooms"),
        ("DELETE /rooms/{id}", "Remove room", "delete_room"),
        ("DELETE /rooms/{id}", "Unassign a room", "unassign_room"),
        ("DELETE /rooms/{id}", "Create a room", "delete_room"),
        ("POST /designs/{id}", "Duplicate Design", "duplicate_design"),
        ("POST /singlesends/{id}", "Duplicate Single Send", "duplicate_singlesend"),
        ("POST /statuses/{id}", "Post status", "update_status"),
        ("POST /shutdown", "Shutdown the Hub", "shutdown"),
        ("PUT /tags/{tag}/release", "Update a tag's release note", "update_tag_release"),
        ("PUT /tags/{tag}/release", "Releases the tag", "release_tag"),
        ("POST /authorizations/{id}/reverse", "", "reverse_authorization"),
        ("POST /mappers/{id}/add-models", "Create multiple mappers", "add_mapper_models"),
        ("POST /refund", "Refund a payment", "create_refund"),
        ("POST /proxy", "Force the Hub to sync with the proxy", "sync_proxy"),
        ("POST /share-codes/{id}", "Issue share code", "issue_share_code"),
        ("GET /users/{id}/log-drains", "Get log drain settings", "get_user_log_drains"),
        ("GET /cloud/limits", "", "get_cloud_limits"),
        ("GET /statistics", "", "get_statistics"),
    ],
)
def test_the_verb_of_a_summary_where_the_path_has_none(line: str, summary: str, expected: str) -> None:
    assert derive(replace(operation(line), summary=summary), "T") == expected


@pytest.mark.parametrize(
    ("line", "identifier", "summary", "expected"),
    [
        ("GET /api/tags", "list", "List models", "list_models"),
        ("GET /api/ps", "ps", "List running models", "list_running_models"),
        ("DELETE /api/delete", "delete", "Delete a model", "delete_model"),
        ("POST /api/show", "show", "Show model details", "show_model_details"),
        ("GET /statuses/search", "search", "Search statuses paginated", "search_statuses"),
        ("POST /api/copy", "copy", "Copy a model to another name and keep it", "copy"),
        ("GET /api/ps", "ps", "Running models", "get_ps"),
    ],
)
def test_an_id_of_one_word_takes_a_short_summary(line: str, identifier: str, summary: str, expected: str) -> None:
    assert derive(replace(operation(line, identifier), summary=summary), "T") == expected


@pytest.mark.parametrize(
    ("line", "identifier", "summary", "expected"),
    [
        ("DELETE /groups/{id}", "stopContainersGroup", "Stop and delete a group", "stop_and_delete_containers_group"),
        ("DELETE /groups/{id}", "stopContainersGroup", "Stops a group", "stop_containers_group"),
        ("DELETE /groups/{id}", "unfollowGroup", "Remove yourself", "unfollow_group"),
        ("POST /groups/{id}", "stopContainersGroup", "Stop and delete a group", "stop_containers_group"),
    ],
)
def test_a_name_says_the_whole_act(line: str, identifier: str, summary: str, expected: str) -> None:
    assert derive(replace(operation(line, identifier), summary=summary), "T") == expected


def test_a_version_is_left_out_where_a_document_has_one_alone_and_else_last() -> None:
    one = [operation("GET /v1/pods", "listV1Pods"), operation("GET /v1/nodes", "listV1Nodes")]
    assert set(assign(one, NOTHING, "T").values()) == {"list_pods", "list_nodes"}
    two = [*one, operation("GET /v2beta1/pods", "listV2beta1Pods")]
    assert set(assign(two, NOTHING, "T").values()) == {"list_pods_v1", "list_nodes_v1", "list_pods_v2beta1"}


INSIDE = [f"GET /api/v1/admin/realms/{{realm}}/kind{chr(97 + each % 26) * (1 + each // 26)}" for each in range(29)]


@pytest.mark.parametrize(
    ("lines", "are_left_out"),
    [
        (INSIDE, True),
        (INSIDE[:-3], False),
        ([*INSIDE, "GET /a", "GET /b", "GET /c"], True),
        ([*INSIDE, "GET /a", "GET /b", "GET /c", "GET /d"], False),
        ([f"POST /?Action={each}" for each in range(40)], False),
    ],
    ids=["all", "too few", "nearly all", "too many others", "no segments"],
)
def test_segments_with_which_nearly_all_paths_of_a_large_document_begin_are_left_out(
    lines: list[str], are_left_out: bool
) -> None:
    wanted = {
        "GET /api/v1/admin/realms": ("list_realms", "list_admin_realms"),
        "DELETE /api/v1/admin/realms/{realm}": ("delete_realm", "delete_admin_realm"),
        "PATCH /api/v1/admin/realms/{realm}/clients/{id}/roles/{role}": (
            "update_client_role",
            "update_admin_realm_client_role",
        ),
    }
    names = assign([operation(line) for line in (*lines, *wanted)], NOTHING, "Petstore")
    assert [names[operation(line).key] for line in wanted] == [
        short if are_left_out else whole for short, whole in wanted.values()
    ]


@pytest.mark.parametrize(
    ("alike", "others", "expected"),
    [
        (10, [], "ban_user"),
        (9, [], "ban_user_route"),
        (18, ["getIt", "listThem"], "ban_user"),
        (10, ["getIt", "listThem"], "ban_user_route"),
        (10, ["route"], "ban_user"),
    ],
    ids=["all", "too few", "nearly all", "too many others", "an id of one word"],
)
def test_a_word_with_which_nearly_all_ids_end_is_left_out(alike: int, others: list[str], expected: str) -> None:
    """Make names of handlers in the source. The word stays where path or summary say it."""
    first = [operation("POST /users/{id}", "ban_user_route"), operation("GET /routes/{id}", "fetch_my_route")]
    rest = [operation(f"GET /a{number}", f"fetch_thing{number}_route") for number in range(alike - len(first))]
    more = [operation(f"GET /other{number}", identifier) for number, identifier in enumerate(others)]
    names = assign([*first, *rest, *more], NOTHING, "T")
    assert [names[each.key] for each in first] == [expected, "fetch_my_route"]


def test_of_a_put_and_a_patch_of_one_name_the_put_replaces() -> None:
    both = [operation(f"{method} /a/{{id}}", "updateThing") for method in ("PUT", "PATCH")]
    assert assign(both, NOTHING, "T") == {"PATCH /a/{}": "update_thing", "PUT /a/{}": "replace_thing"}


def test_the_word_of_the_path_that_no_other_path_has_distinguishes() -> None:
    both = [operation("DELETE /threads/{id}", "deleteThread"), operation("DELETE /kit/threads/{id}", "deleteThread")]
    assert set(assign(both, NOTHING, "T").values()) == {"delete_thread", "delete_kit_thread"}


def test_of_the_variables_of_a_path_its_own_distinguishes() -> None:
    paths = ("/user/keys/{key}", "/users/{user}/keys/{key}")
    both = [operation(f"DELETE {path}", "deleteUserKey") for path in paths]
    assert set(assign(both, NOTHING, "T").values()) == {"delete_user_key", "delete_user_key_by_user"}


def test_an_id_that_says_get_weighs_more_than_a_summary() -> None:
    assert derive(replace(operation("GET /inventory", "getInventory"), summary="Count pets"), "T") == "get_inventory"


def test_a_name_says_that_an_operation_gets_a_file() -> None:
    made = operation("GET /builds/{id}/artifacts", "getBuildsIdArtifacts")
    assert derive(replace(made, summary="Download the artifacts file"), "T") == "download_build_artifacts"


def test_the_title_of_the_api_is_no_part_of_a_name() -> None:
    assert derive(operation("GET /p", "cloudresourcemanager.projects.get"), "Cloud Resource Manager") == "projects_get"


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("x" * 50, "x" * 50),
        ("listTheMatchingReferencesOfAnOrganizationRepositoryByName", "list_matching_references_org_repository_name"),
        (
            "getConfigurationConfigurationOfTheAuthenticationEnvironments",
            "get_configuration_of_authentication_environments",
        ),
        (
            "createCertificatesV1beta1CertificateSigningRequest",
            "create_v1beta1_certificate_signing_request",
        ),
        (
            "hosted-compute/delete-network-configuration-from-organization",
            "hosted_compute_delete_network_config_from_org",
        ),
    ],
)
def test_long_names_lose_little_words_first(identifier: str, expected: str) -> None:
    assert derive(operation("GET /a", identifier), "T") == expected


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        (
            "actions/remove-repo-access-to-self-hosted-runner-group-in-org",
            "remove_repo_access_to_self_hosted_runner_group_org",
        ),
        (
            "actions/remove-all-custom-labels-from-self-hosted-runner-for-org",
            "remove_all_labels_from_self_hosted_runner_for_org",
        ),
        (
            "actions/set-selected-repositories-enabled-github-actions-organization",
            "set_selected_repos_enabled_github_actions_org",
        ),
        ("replaceCoreNamespacedReplicationControllerScaleStatus", "replace_core_replication_controller_scale_status"),
        (
            "createAuthorizationV1beta1NamespacedLocalSubjectAccessReview",
            "create_authz_v1beta1_local_subject_access_review",
        ),
        (
            "deleteAutoscalingV2beta1CollectionNamespacedHorizontalPodAutoscaler",
            "delete_v2beta1_collection_pod_autoscaler",
        ),
        ("admin_conversations_ekm_listOriginalConnectedChannelInfo", "ekm_list_original_connected_channel_info"),
        ("deleteCore" + "VeryLongWord" * 6, "delete_core_very_long_word"),
    ],
)
def test_then_what_says_least_but_never_the_verb_nor_how_many(identifier: str, expected: str) -> None:
    assert derive(operation("GET /a", identifier), "T") == expected


def test_a_shortened_name_does_not_begin_with_a_digit() -> None:
    assert derive(operation(f"GET /{'x' * 60}/2/s:go", None), "T") == "call_2_s"


@pytest.mark.parametrize("identifier", ["x" * 51, "x" * 300])
def test_a_hash_of_the_operation_is_the_last_resort(identifier: str) -> None:
    names = [derive(operation(line, identifier), "T") for line in ("GET /a", "GET /b")]
    assert names[0][:-4] == names[1][:-4]
    assert names[0] != names[1]
    assert all(len(name) <= LONGEST and name[-5] == "_" for name in names)


SEGMENTS = st.sampled_from(["users", "v1", "api", "{id}", "{name}", "cancel", "a b", "\u65e5", "x" * 60, "2", "s:go"])
IDS = st.sampled_from(["get", "getUser", "GetUser", "get_user", "GETUSER", "", "!", "1", "x" * 80]) | st.text(
    max_size=12
)
Row = tuple[str, str, str | None, bool]
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["GET", "POST", "PUT", "DELETE", "PATCH"]),
        st.lists(SEGMENTS, max_size=4).map(lambda parts: "/" + "/".join(parts)),
        st.none() | IDS,
        st.booleans(),
    ),
    max_size=12,
    unique_by=lambda row: (row[0], row[1]),
)


def usable(rows: list[Row]) -> list[Operation]:
    found: dict[str, Operation] = {}
    for method, path, identifier, deprecated in rows:
        try:
            made = operation(f"{method} {path}", identifier, deprecated=deprecated)
        except SkipOperation:
            continue
        found.setdefault(made.key, made)
    return list(found.values())


@given(ROWS, st.randoms(use_true_random=False))
def test_names_are_legal_unique_and_do_not_know_the_order(rows: list[Row], chance: random.Random) -> None:
    """Test requirement OUT-03: names are legal and unique, and do not depend on the order of operations."""
    operations = usable(rows)
    names = assign(operations, NOTHING, "Petstore")
    assert names.keys() == {made.key for made in operations}
    assert all(TOOL_NAME.fullmatch(name) and "__" not in name for name in names.values()), names
    assert len({name.casefold() for name in names.values()}) == len(names)
    chance.shuffle(operations)
    assert assign(operations, NOTHING, "Petstore") == names


@given(ROWS, ROWS)
def test_a_promised_name_is_kept_and_given_to_no_other(before: list[Row], after: list[Row]) -> None:
    promised = assign(usable(before), NOTHING, "Petstore")
    names = assign(usable(after), Pins({key: Pin(name) for key, name in promised.items()}), "Petstore")
    for key, name in names.items():
        if key in promised:
            assert name == promised[key]
        else:
            assert name not in promised.values()


@given(ROWS, ROWS, ROWS)
def test_a_name_that_went_is_kept_for_its_operation(first: list[Row], second: list[Row], third: list[Row]) -> None:
    one = assign(usable(first), NOTHING, "Petstore")
    two = assign(usable(second), Pins({key: Pin(name) for key, name in one.items()}), "Petstore")
    gone = {name: Retired(key) for key, name in one.items() if key not in two}
    three = assign(usable(third), Pins({key: Pin(name) for key, name in two.items()}, gone), "Petstore")
    for key, name in three.items():
        assert name == two.get(key) or name == one.get(key) or (key not in two and key not in one)
        assert gone.get(name, Retired(key)).operation == key


def test_a_name_by_hand_is_no_promise_and_yet_goes_to_no_other() -> None:
    promises = Pins({"GET /pets": Pin("all_pets", by_hand=True)}, {"pets": Retired("GET /pets")})
    other = operation("GET /z", "allPets")
    assert assign([operation("GET /pets", "listPets"), other], promises, "T") == {
        "GET /pets": "pets",
        "GET /z": "all_pets_get",
    }


def test_a_name_written_by_hand_wins_over_a_derived_one() -> None:
    written = operation("GET /b", name="list_pets")
    assert assign([operation("GET /pets", "listPets"), written], NOTHING, "T") == {
        "GET /pets": "list_pets_get",
        "GET /b": "list_pets",
    }


def test_deprecated_and_deeper_operations_give_way() -> None:
    rows = [operation("GET /a/b", "getIt"), operation("GET /z", "getIt", deprecated=True), operation("GET /c", "getIt")]
    assert assign(rows, NOTHING, "T")["GET /c"] == "get_it"
