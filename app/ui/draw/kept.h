// What a panel's ImGui window keeps from frame to frame, as it keeps its scroll position.
#pragma once

#include <imgui.h>

namespace ui {

// A bool, an int, a float or a const void*. It is looked up at each use: ImGui's storage moves its values when it takes in
// another one, so a pointer to one of them (GetIntRef and its like) is good until somebody else keeps something.
template <class T>
class Kept {
public:
    // By its name in the window, or the place in it (PushID), that is current here.
    explicit Kept(const char* name, T at_first = {})
        : storage_(ImGui::GetStateStorage()), id_(ImGui::GetID(name)), at_first_(at_first) {}

    Kept(const Kept&) = default;
    Kept& operator=(const Kept&) = delete; // of two, which is meant: the value or the place?

    operator T() const;
    Kept& operator=(T);

private:
    ImGuiStorage* storage_;
    ImGuiID id_;
    T at_first_;
};

template <>
inline Kept<bool>::operator bool() const {
    return storage_->GetBool(id_, at_first_);
}
template <>
inline Kept<int>::operator int() const {
    return storage_->GetInt(id_, at_first_);
}
template <>
inline Kept<float>::operator float() const {
    return storage_->GetFloat(id_, at_first_);
}
template <>
inline Kept<const void*>::operator const void*() const {
    return storage_->GetVoidPtr(id_);
}

template <>
inline Kept<bool>& Kept<bool>::operator=(bool value) {
    return storage_->SetBool(id_, value), *this;
}
template <>
inline Kept<int>& Kept<int>::operator=(int value) {
    return storage_->SetInt(id_, value), *this;
}
template <>
inline Kept<float>& Kept<float>::operator=(float value) {
    return storage_->SetFloat(id_, value), *this;
}
template <>
inline Kept<const void*>& Kept<const void*>::operator=(const void* value) {
    return storage_->SetVoidPtr(id_, const_cast<void*>(value)), *this;
}

} // namespace ui
